// Runs a target on inputs, so that what was found once stays found, without libFuzzer:
//
//     fuzz_<name>_replay FILE|FOLDER...           each file is an input, a .pack many
//     fuzz_<name>_replay --pack PACK FOLDER       writes the files of a folder as one
//     fuzz_<name>_replay --unpack PACK FOLDER     and back
//
// A pack is the inputs one after the other, each behind its size in four bytes, the least significant first.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

Bytes read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const Bytes& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error(path.string() + " cannot be written");
}

std::vector<fs::path> files_of(const fs::path& path) {
  std::vector<fs::path> files;
  if (!fs::is_directory(path)) return {path};
  for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Bytes> unpacked(const Bytes& pack) {
  std::vector<Bytes> inputs;
  for (std::size_t at = 0; at < pack.size();) {
    std::size_t size = 0;
    for (std::size_t k = 0; k < 4 && at + k < pack.size(); ++k) size |= std::size_t{pack[at + k]} << 8 * k;
    at += 4;
    if (at + size > pack.size()) throw std::runtime_error("the pack is cut off");
    inputs.emplace_back(pack.begin() + static_cast<std::ptrdiff_t>(at),
                        pack.begin() + static_cast<std::ptrdiff_t>(at + size));
    at += size;
  }
  return inputs;
}

Bytes packed(const fs::path& folder) {
  Bytes pack;
  for (const fs::path& path : files_of(folder)) {
    const Bytes input = read(path);
    for (int k = 0; k < 4; ++k) pack.push_back(static_cast<std::uint8_t>(input.size() >> 8 * k));
    pack.insert(pack.end(), input.begin(), input.end());
  }
  return pack;
}

// Told before: where an input ends the program, this is the last line.
void run(const std::string& name, const Bytes& input) {
  std::printf("%s, %zu bytes\n", name.c_str(), input.size());
  std::fflush(stdout);
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string mode = argc == 4 ? argv[1] : "";
  if (mode == "--pack") return write(argv[2], packed(argv[3])), 0;
  if (mode == "--unpack") {
    int number = 0;
    for (const Bytes& input : unpacked(read(argv[2])))
      write(fs::path(argv[3]) / std::to_string(number++), input);
    return 0;
  }
  int inputs = 0;
  for (int i = 1; i < argc; ++i)
    for (const fs::path& path : files_of(argv[i])) {
      const bool is_pack = path.extension() == ".pack";
      const std::vector<Bytes> all = is_pack ? unpacked(read(path)) : std::vector<Bytes>{read(path)};
      for (std::size_t k = 0; k < all.size(); ++k, ++inputs)
        run(path.string() + (is_pack ? " " + std::to_string(k) : ""), all[k]);
    }
  std::printf("%d inputs\n", inputs);
  return inputs == 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
