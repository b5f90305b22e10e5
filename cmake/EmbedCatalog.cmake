# Puts the catalog into the binary, in two steps at build time:
#   1. vcgpu_pack reads and checks data/*.json and writes catalog.bin (the checked catalog in
#      binary form) and catalog.json.bin (the JSON texts). An error in the data fails the build
#      with the packer's message.
#   2. An assembler file takes both in with .incbin. Compared with a generated array of numbers
#      this costs no compile time, and the pages stay on disk until they are read.
#
# vcgpu_embed_catalog(TARGET PACKER_SOURCES FILE... PACKER_OBJECTS OBJECT_LIBRARY
#                     READER FILE DATA_DIR DIR OUT_DIR DIR)
# makes the executable vcgpu_pack and the object library TARGET, which holds READER and the symbols
# vcgpu_catalog_{begin,end} and vcgpu_catalog_json_{begin,end}.
function(vcgpu_embed_catalog target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PACKER_OBJECTS;READER;DATA_DIR;OUT_DIR"
    "PACKER_SOURCES")

  add_executable(vcgpu_pack ${arg_PACKER_SOURCES} $<TARGET_OBJECTS:${arg_PACKER_OBJECTS}>)
  target_link_libraries(vcgpu_pack PRIVATE vcgpu_build)
  # What would read the embedded catalog is not called by the packer, and goes before its missing
  # symbols count.
  target_link_options(vcgpu_pack PRIVATE LINKER:--gc-sections)

  file(GLOB data CONFIGURE_DEPENDS "${arg_DATA_DIR}/*.json")
  set(packed "${arg_OUT_DIR}/catalog.bin" "${arg_OUT_DIR}/catalog.json.bin")
  file(MAKE_DIRECTORY "${arg_OUT_DIR}")
  add_custom_command(
    OUTPUT ${packed}
    COMMAND vcgpu_pack "${arg_DATA_DIR}" "${arg_OUT_DIR}"
    DEPENDS vcgpu_pack ${data}
    COMMENT "Checking and packing the catalog"
    VERBATIM)

  set(catalog_dir "${arg_OUT_DIR}")
  set(assembler "${arg_OUT_DIR}/catalog.S")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/catalog.S.in" "${assembler}" @ONLY)
  # .incbin is invisible to the compiler's dependency output.
  set_source_files_properties("${assembler}" PROPERTIES OBJECT_DEPENDS "${packed}")

  add_library(${target} OBJECT "${arg_READER}" "${assembler}" ${packed})
  target_link_libraries(${target} PRIVATE vcgpu_build)
endfunction()
