#include "exchange/binaries.hpp"

#include <layout.h>

#include <algorithm>
#include <filesystem>
#include <map>

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

std::vector<Binary> find_binaries(const std::string& folder) {
  std::vector<fs::path> places;
  if (folder.empty()) {
    const fs::path beside = library_folder();
    places = {beside / "tenon" / "fmu", beside / ".." / "lib" / "tenon" / "fmu"};
  } else {
    places = {fs::u8path(folder)};
  }
  std::vector<Binary> found;
  for (const fs::path& place : places) {
    std::error_code error;
    if (!found.empty() || !fs::is_directory(place, error)) continue;
    for (const fs::directory_entry& system : fs::directory_iterator(place)) {
      if (!system.is_directory()) continue;
      for (const fs::directory_entry& file : fs::directory_iterator(system.path()))
        if (file.is_regular_file())
          found.push_back({system.path().filename().u8string(), file.path().filename().u8string(),
                           read_file(file.path().u8string(), "the binary")});
    }
  }
  const auto is_unit = [](const Binary& b) { return b.name.rfind(UNIT_IDENTIFIER ".", 0) == 0; };
  if (std::none_of(found.begin(), found.end(), is_unit))
    throw Failure(
        format("no binaries for units in '%s': there should be a folder such as x86_64-linux with "
               "%s.so in it; --binaries names the folder that holds it.",
               places.front().u8string().c_str(), UNIT_IDENTIFIER));
  std::sort(found.begin(), found.end(), [](const Binary& a, const Binary& b) {
    return a.system != b.system ? a.system < b.system : a.name < b.name;
  });
  return found;
}

std::string system_folder(const std::string& system, int version) {
  // FMI 2.0 has names for the systems of its time only; others keep the newer ones.
  static const std::map<std::string, std::string> old = {
      {"x86_64-linux", "linux64"}, {"x86_64-windows", "win64"}, {"x86_64-darwin", "darwin64"},
      {"x86-linux", "linux32"},    {"x86-windows", "win32"},    {"x86-darwin", "darwin32"}};
  const auto named = version == 2 ? old.find(system) : old.end();
  return named == old.end() ? system : named->second;
}

}  // namespace client
