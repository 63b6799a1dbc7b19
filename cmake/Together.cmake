# Unity builds: up to eight files of a folder are compiled as one, because most of the compile time of a small file is
# for the headers and templates it shares with its neighbors. Tests are always compiled like this, the library
# and the program if LOCUS_TOGETHER is on. Otherwise each of their files is compiled separately, which suits incremental
# builds.
option(LOCUS_TOGETHER "Compile the files of a folder together (unity build)" OFF)
# For an edit of one file and its tests: tests are compiled separately, too, and only CPU kernels are optimized.
option(LOCUS_DEV "Build for ./run dev" OFF)

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
