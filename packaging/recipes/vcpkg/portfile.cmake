# The sources are those of this repository: vcpkg install tenon-dynamics --overlay-ports=packaging/recipes/vcpkg
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(
    OUT_FEATURE_OPTIONS FEATURE_OPTIONS
    FEATURES
        program TENON_BUILD_CLI
)

# tinyxml2 is the port of vcpkg, also where somebody put its source into build/tinyxml2.
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${FEATURE_OPTIONS}
        -DTENON_BUILD_TESTS=OFF
        -DTENON_CXX_RUNTIME_INSIDE=OFF
        -DTENON_INSTALL=ON
        -DTENON_TINYXML2_SOURCE=none
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME tenon CONFIG_PATH lib/cmake/tenon)
vcpkg_fixup_pkgconfig()
if("program" IN_LIST FEATURES)
    vcpkg_copy_tools(TOOL_NAMES tenon tenon_demo AUTO_CLEAN)
endif()

# Licences go to the place of vcpkg, below.
file(REMOVE_RECURSE
    "${CURRENT_PACKAGES_DIR}/debug/include"
    "${CURRENT_PACKAGES_DIR}/debug/share"
    "${CURRENT_PACKAGES_DIR}/share/doc"
)
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/packaging/THIRD_PARTY.md")
