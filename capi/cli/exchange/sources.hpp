// A functional mock-up unit as C sources that need no library: functions generated for the robot under the code that all
// units have.
#pragma once

#include <map>
#include <string>

#include "client.hpp"
#include "simulation/contacts.hpp"

namespace client {

// By name, the files for a unit of version 2 or 3. Throws "unsupported: ..." for robots with contacts or loops.
// source: what the model was loaded from. common: the files that all units have.
std::map<std::string, std::string> make_sources(const ModelSource& source, const tenon_model* model,
                                                const ContactSet& contacts, int version,
                                                const std::map<std::string, std::string>& common);

// sources/buildDescription.xml of FMI 3.0: how files of these names are compiled.
std::string describe_build(const std::map<std::string, std::string>& sources);

// True for files that are compiled, not included.
bool is_compiled(const std::string& name);

}  // namespace client
