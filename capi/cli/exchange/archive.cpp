#include "exchange/archive.hpp"

#include <array>

#include "client.hpp"

namespace client {
namespace {

// CRC-32 of ISO 3309, reflected polynomial 0xedb88320.
std::uint32_t checksum(const std::string& bytes) {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    table[i] = i;
    for (int bit = 0; bit < 8; ++bit) table[i] = (table[i] >> 1) ^ (table[i] & 1 ? 0xedb88320u : 0u);
  }
  std::uint32_t sum = 0xffffffffu;
  for (const char c : bytes) sum = (sum >> 8) ^ table[(sum ^ static_cast<unsigned char>(c)) & 0xffu];
  return ~sum;
}

void put(std::string& into, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) into += static_cast<char>((value >> (8 * i)) & 0xffu);
}

constexpr std::uint32_t version = 20, utf8_names = 1u << 11, first_of_january_1980 = (1u << 5) | 1u;

// What a file's own header and the one in the directory have in common.
void put_facts(std::string& into, std::uint32_t sum, std::uint32_t size, const std::string& name) {
  put(into, version, 2);
  put(into, utf8_names, 2);
  put(into, 0, 2);  // stored
  put(into, 0, 2);  // midnight
  put(into, first_of_january_1980, 2);
  put(into, sum, 4);
  put(into, size, 4);
  put(into, size, 4);
  put(into, static_cast<std::uint32_t>(name.size()), 2);
  put(into, 0, 2);  // no extra field
}

}  // namespace

void Archive::add(const std::string& name, const std::string& bytes) {
  if (bytes_.size() + bytes.size() > 0xf0000000u)
    throw Failure("--output: the files are more than 4 GB, which a plain zip archive cannot hold.");
  const Entry entry{name, checksum(bytes), static_cast<std::uint32_t>(bytes.size()),
                    static_cast<std::uint32_t>(bytes_.size())};
  put(bytes_, 0x04034b50u, 4);
  put_facts(bytes_, entry.checksum, entry.size, name);
  bytes_ += name;
  bytes_ += bytes;
  entries_.push_back(entry);
}

std::string Archive::finish() const {
  std::string directory;
  for (const Entry& entry : entries_) {
    put(directory, 0x02014b50u, 4);
    put(directory, version, 2);
    put_facts(directory, entry.checksum, entry.size, entry.name);
    put(directory, 0, 2);  // no comment
    put(directory, 0, 4);  // first disk; binary
    put(directory, 0, 4);  // no attributes
    put(directory, entry.offset, 4);
    directory += entry.name;
  }
  std::string end;
  put(end, 0x06054b50u, 4);
  put(end, 0, 4);  // the only disk
  put(end, static_cast<std::uint32_t>(entries_.size()), 2);
  put(end, static_cast<std::uint32_t>(entries_.size()), 2);
  put(end, static_cast<std::uint32_t>(directory.size()), 4);
  put(end, static_cast<std::uint32_t>(bytes_.size()), 4);
  put(end, 0, 2);
  return bytes_ + directory + end;
}

}  // namespace client
