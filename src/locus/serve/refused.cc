#include "locus/serve/refused.h"

#include <new>

namespace locus::serve {

Error model_error(const Error& error) {
  if (error.fault() != Fault::data) return error;
  return {Failure(Fault::diverged, error.code(), error.hint()), error.message(), error.values()};
}

HttpAnswer refused_answer(std::string_view path, const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Refused& refused) {
    return error_answer(path, refused.refusal());
  } catch (const Error& error) {
    return error_answer(path, error);
  } catch (const std::bad_alloc&) {
    return error_answer(path, Error(Fault::resource, "out of memory"));
  } catch (const std::exception& error) {
    return error_answer(path, Error(Fault::bug, error.what()));
  }
}

}  // namespace locus::serve
