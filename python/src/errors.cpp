#include "errors.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <exception>
#include <string_view>
#include <typeinfo>

#include "postil/text.hpp"

namespace postil::python {
namespace {

namespace nb = nanobind;

// Keywords of the estimators and of their methods, by the name of the option; `set` names parameters itself.
constexpr std::pair<std::string_view, std::string_view> kKeywords[] = {
    {"advice", "advice"},        {"class-weight", "class_weight"}, {"classes", "classes"}, {"missing", "missing"},
    {"passes", "max_iter"},      {"row", "explain(row)"},          {"scale", "scale"},     {"top", "top"},
    {"weight", "sample_weight"},
};
// Parameters of learners whose names Python or the estimators use otherwise.
constexpr std::pair<std::string_view, std::string_view> kParameters[] = {{"advice", "advice_mode"},
                                                                         {"lambda", "lambda_"}};

template <std::size_t N>
std::string_view find(const std::pair<std::string_view, std::string_view> (&words)[N], std::string_view name) {
  const auto* found = std::find_if(std::begin(words), std::end(words), [&](const auto& w) { return w.first == name; });
  return found == std::end(words) ? std::string_view() : found->second;
}

// A value as Python writes it: 0.5, True, 'standard'.
std::string literal(const std::string& value) {
  if (value == "true") return "True";
  if (value == "false") return "False";
  return parse_number(value) ? value : "'" + value + "'";
}

// Texts may hold bytes of a file that are not UTF-8.
nb::object unicode(const std::string& text) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}
nb::object unicode_or_none(const std::string& text) { return text.empty() ? nb::none() : unicode(text); }
nb::object number_or_none(std::uint64_t number) { return number == 0 ? nb::none() : nb::cast(number); }

struct ErrorTypes {
  nb::object error, param, data, parse, model, place, subject;
};

void raise(const ErrorTypes& types, const nb::object& type, const Error& error) {
  Failure failure = error.failure();
  if (failure.place.file == "memory") failure.place = {};  // a row that Python gave: a line of no file
  const nb::object exception = type(unicode(failure.text().plain(python_words)));
  exception.attr("code") = std::string(word(failure.code));
  exception.attr("subject") = failure.subject.kind.empty()
                                  ? nb::none()
                                  : types.subject(unicode(failure.subject.kind), unicode_or_none(failure.subject.name));
  exception.attr("place") = types.place(unicode_or_none(failure.place.file), number_or_none(failure.place.line),
                                        number_or_none(failure.place.column));
  exception.attr("found") = unicode_or_none(failure.found);
  exception.attr("expected") = unicode_or_none(failure.expected);
  exception.attr("remedy") = unicode_or_none(Text::hint(failure.remedy).plain(python_words));
  PyErr_SetObject(type.ptr(), exception.ptr());
}

}  // namespace

std::string python_words(const Option& option) {
  if (option.name == "set") {
    const std::string_view other = find(kParameters, option.key);
    return (other.empty() ? option.key : std::string(other)) + "=" +
           (option.value.empty() ? "" : literal(option.value));
  }
  const std::string keyword(find(kKeywords, option.name));
  if (keyword.empty() || keyword.ends_with(')')) return keyword;
  if (option.name == "missing" && option.value == "refuse") return "missing=None";
  if (option.name == "classes" || option.value.empty()) return keyword + "=";  // "a,b" is an example
  return keyword + "=" +
         (option.key.empty() ? literal(option.value) : "{'" + option.key + "': " + literal(option.value) + "}");
}

void add_errors() {
  static ErrorTypes* types = new ErrorTypes();  // as long as the process
  const nb::module_ errors = nb::module_::import_("postil._errors");
  *types = {errors.attr("Error"),      errors.attr("ParamError"), errors.attr("DataError"), errors.attr("ParseError"),
            errors.attr("ModelError"), errors.attr("Place"),      errors.attr("Subject")};
  nb::register_exception_translator([](const std::exception_ptr& thrown, void* /*payload*/) {
    try {
      std::rethrow_exception(thrown);
    } catch (const ParamError& error) {
      raise(*types, types->param, error);
    } catch (const DataError& error) {
      raise(*types, types->data, error);
    } catch (const ParseError& error) {
      raise(*types, types->parse, error);
    } catch (const ModelError& error) {
      raise(*types, types->model, error);
    } catch (const Error& error) {
      raise(*types, types->error, error);
    } catch (const std::bad_cast&) {
      PyErr_SetString(types->data.ptr(), "a value of an unexpected type, or a text that is not Unicode");
    }
  });
}

}  // namespace postil::python
