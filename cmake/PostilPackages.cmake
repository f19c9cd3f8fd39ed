# Debian packages, by `cpack -G DEB` (tools/deb.sh): postil, libpostilX.Y and libpostil-dev, one per component of the installation.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME postil)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL command library development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
# Permissions do not depend on the umask of whoever builds.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)  # what programs linked with the shared library will depend on
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
# Debian's variables say who builds the package. Without them it names no address, rather than one that does not exist.
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The Postil authors <>")
if(NOT "$ENV{DEBFULLNAME}" STREQUAL "" AND NOT "$ENV{DEBEMAIL}" STREQUAL "")
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()

set(POSTIL_SONAME_PACKAGE libpostil${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(POSTIL_DEBIAN_PACKAGES postil ${POSTIL_SONAME_PACKAGE} libpostil-dev)  # in the order of the components
set(POSTIL_ABOUT "Postil learns linear and kernel classifiers and regressions from examples
and from rules that experts write in plain text, such as
'glucose >= 126 and bmi >= 30 => diabetes'; one example at a time or all at
once. The record of each rule shows what became of it.")

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME postil)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_DESCRIPTION "maximum-margin classifiers that take rules - command
${POSTIL_ABOUT}
.
This package has the command postil.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${POSTIL_SONAME_PACKAGE})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/triggers)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "maximum-margin classifiers that take rules - shared library
${POSTIL_ABOUT}
.
This package has the shared library.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libpostil-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# What PostilConfig.cmake and postil.pc ask for.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${POSTIL_SONAME_PACKAGE} (= ${PROJECT_VERSION}), libfmt-dev, zlib1g-dev, libzstd-dev, liblzma-dev, libbz2-dev, libsimdjson-dev, coinor-libclp-dev, libopenblas-pthread-dev | libopenblas-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "maximum-margin classifiers that take rules - C++ development files
${POSTIL_ABOUT}
.
This package has headers, the static library, and files for CMake and
pkg-config.")

# Added just before a package is closed: copyright, changelog, compressed manual pages.
configure_file(cmake/debian_files.cmake.in debian_files.cmake @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_BINARY_DIR}/debian_files.cmake)
include(CPack)
