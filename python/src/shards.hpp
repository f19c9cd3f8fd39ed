#pragma once

#include <nanobind/nanobind.h>

namespace postil::python {

void add_shards(nanobind::module_& m);

}  // namespace postil::python
