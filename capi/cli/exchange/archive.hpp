// A zip archive of stored files, as PKWARE's APPNOTE.TXT defines it (sections 4.3 to 4.5): what a functional
// mock-up unit is. Nothing is compressed, nothing has a date: the same files make the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace client {

class Archive {
 public:
  // name: with slashes, UTF-8.
  void add(const std::string& name, const std::string& bytes);
  // The whole archive.
  std::string finish() const;

 private:
  struct Entry {
    std::string name;
    std::uint32_t checksum, size, offset;
  };
  std::vector<Entry> entries_;
  std::string bytes_;
};

}  // namespace client
