# Files of one folder compiled together, up to eight at a time: most of a small file's time goes to the headers and
# templates it shares with its neighbours. Tests are so in every build, the library in builds from nothing; a build
# without compiles each of its files alone.
option(LOCUS_TOGETHER "Compile the library's files of a folder together" OFF)

# compile_together(TARGET SOURCE...)
function(compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(folder "")
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH here)
    if(NOT here STREQUAL folder)
      set(folder ${here})
      set(number 0)
    endif()
    math(EXPR group "${number} / 8")
    math(EXPR number "${number} + 1")
    cmake_path(RELATIVE_PATH here BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE name)
    string(REPLACE "/" "_" name ${name})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${group})
  endforeach()
endfunction()
