#include "exchange/binaries.hpp"

#include <layout.h>

#include <algorithm>
#include <filesystem>

#include "client.hpp"
#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace client {
namespace {

namespace fs = std::filesystem;

// The folder of the library that this program runs with, or of the program where that holds it.
fs::path library_folder() {
#if defined(_WIN32)
  std::array<wchar_t, 32768> path{};
  HMODULE self = nullptr;
  if (GetModuleHandleExW(
          GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
          reinterpret_cast<LPCWSTR>(&tenon_version), &self) &&
      GetModuleFileNameW(self, path.data(), static_cast<DWORD>(path.size())) > 0)
    return fs::path(path.data()).parent_path();
#else
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&tenon_version), &info) != 0 && info.dli_fname)
    return fs::absolute(info.dli_fname).parent_path();
#endif
  return fs::current_path();
}

// The folders of units that are installed with the library; in a wheel it shares one folder with the program, `tenon`.
std::vector<fs::path> installed_places() {
  const fs::path beside = library_folder();
  return {beside / "tenon" / "fmu", beside / ".." / "lib" / "tenon" / "fmu", beside / "fmu"};
}

// Where the folders of units are in a folder that a user names.
std::vector<fs::path> places_in(const std::string& folder) {
  const fs::path root = fs::u8path(folder);
  return {root, root / "tenon" / "fmu", root / "lib" / "tenon" / "fmu"};
}

std::string file_ending(const std::string& system) {
  const auto ends_with = [&](const char* end) { return system.find(end) != std::string::npos; };
  return ends_with("-windows") ? ".dll" : ends_with("-darwin") ? ".dylib" : ".so";
}

// Adds those of systems that are not there yet. True where the folder holds any.
bool add_binaries(const fs::path& place, std::map<std::string, std::string>& found) {
  std::error_code error;
  if (!fs::is_directory(place, error)) return false;
  bool any = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(place)) {
    const std::string system = entry.path().filename().u8string();
    const fs::path file = entry.path() / (UNIT_IDENTIFIER + file_ending(system));
    if (!fs::is_regular_file(file, error)) continue;
    any = true;
    if (found.count(system) != 0) continue;
    const std::string path = file.u8string();
    std::string bytes = read_file(path, "the binary");
    if (bytes.find(UNIT_FORMAT "\n") == std::string::npos)
      throw Failure(format("'%s' is of another version than this program, whose units begin with \"%s\".",
                           path.c_str(), UNIT_FORMAT));
    found.emplace(system, std::move(bytes));
  }
  return any;
}

void put_big_endian(std::string& into, std::size_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) into += static_cast<char>((value >> shift) & 0xffu);
}

// A universal binary of macOS ("fat header" of Mach-O): magic, count, and for each part processor, subtype of it, offset,
// size and alignment, big-endian; the parts at multiples of 2^14 bytes. A part begins with its magic and, in its own byte
// order, processor and subtype.
std::string universal(const std::vector<const std::string*>& parts) {
  constexpr std::size_t alignment_power = 14, alignment = std::size_t{1} << alignment_power;
  const auto number = [](const std::string& bytes, std::size_t at) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value |= static_cast<std::size_t>(static_cast<unsigned char>(bytes.at(at + i))) << (8 * i);
    return value;
  };
  std::string header, body;
  put_big_endian(header, 0xcafebabeu);
  put_big_endian(header, parts.size());
  for (const std::string* part : parts) {
    body.resize((body.size() + alignment - 1) / alignment * alignment);
    put_big_endian(header, number(*part, 4));
    put_big_endian(header, number(*part, 8));
    put_big_endian(header, alignment + body.size());
    put_big_endian(header, part->size());
    put_big_endian(header, alignment_power);
    body += *part;
  }
  header.resize(alignment);
  return header + body;
}

}  // namespace

std::string read_file(const std::string& path, const char* what) {
  std::FILE* file = open_file(path, "rb");
  if (!file) throw Failure(format("%s '%s' cannot be read.", what, path.c_str()));
  std::string bytes;
  std::array<char, 65536> piece{};
  for (std::size_t count; (count = std::fread(piece.data(), 1, piece.size(), file)) > 0;)
    bytes.append(piece.data(), count);
  std::fclose(file);
  return bytes;
}

const std::vector<std::string>& released_systems() {
  static const std::vector<std::string> systems = {"x86_64-linux", "aarch64-linux", "x86_64-windows",
                                                   "aarch64-darwin", "x86_64-darwin"};
  return systems;
}

std::map<std::string, std::string> find_binaries(const std::vector<std::string>& folders) {
  std::map<std::string, std::string> found;
  for (const std::string& folder : folders) {
    const std::vector<fs::path> places = places_in(folder);
    if (std::none_of(places.begin(), places.end(),
                     [&](const fs::path& place) { return add_binaries(place, found); }))
      throw Failure(
          format("--binaries: there are no binaries for units in '%s': give a release of Tenon, unpacked, or "
                 "a folder that holds folders such as x86_64-linux with %s.so in them.",
                 folder.c_str(), UNIT_IDENTIFIER));
  }
  for (const fs::path& place : installed_places())
    if (add_binaries(place, found)) break;
  if (found.empty())
    throw Failure(format("no binaries for units are installed in '%s': --binaries names a folder with them.",
                         installed_places().front().u8string().c_str()));
  return found;
}

std::map<std::string, std::string> place_binaries(const std::map<std::string, std::string>& binaries,
                                                  int version) {
  // FMI 2.0 has names for the systems of its time only; others keep the newer ones.
  static const std::map<std::string, std::string> old = {
      {"x86_64-linux", "linux64"},    {"x86_64-windows", "win64"}, {"x86_64-darwin", "darwin64"},
      {"aarch64-darwin", "darwin64"}, {"x86-linux", "linux32"},    {"x86-windows", "win32"}};
  std::map<std::string, std::vector<const std::string*>> parts;
  for (const auto& [system, bytes] : binaries) {
    const auto named = version == 2 ? old.find(system) : old.end();
    parts[(named == old.end() ? system : named->second) + "/" UNIT_IDENTIFIER + file_ending(system)]
        .push_back(&bytes);
  }
  std::map<std::string, std::string> placed;
  for (const auto& [path, of_path] : parts)
    placed[path] = of_path.size() == 1 ? *of_path.front() : universal(of_path);
  return placed;
}

std::map<std::string, std::string> find_files(const std::vector<std::string>& folders, const char* name) {
  std::vector<fs::path> places = installed_places();
  for (const std::string& folder : folders)
    for (const fs::path& place : places_in(folder)) places.push_back(place);
  std::map<std::string, std::string> files;
  for (const fs::path& place : places) {
    std::error_code error;
    if (!files.empty() || !fs::is_directory(place / name, error)) continue;
    for (const fs::directory_entry& file : fs::directory_iterator(place / name))
      files[file.path().filename().u8string()] = read_file(file.path().u8string(), "the file");
  }
  if (files.empty())
    throw Failure(
        format("Tenon is not installed completely: there is no '%s'; --binaries may name a release.",
               (places.front() / name).u8string().c_str()));
  return files;
}

}  // namespace client
