// Everything.
#pragma once

#include "postil/advice.hpp"         // IWYU pragma: export
#include "postil/archive.hpp"        // IWYU pragma: export
#include "postil/bounds.hpp"         // IWYU pragma: export
#include "postil/coverage.hpp"       // IWYU pragma: export
#include "postil/error.hpp"          // IWYU pragma: export
#include "postil/evaluate.hpp"       // IWYU pragma: export
#include "postil/foreign_model.hpp"  // IWYU pragma: export
#include "postil/generate.hpp"       // IWYU pragma: export
#include "postil/kernels.hpp"        // IWYU pragma: export
#include "postil/learner.hpp"        // IWYU pragma: export
#include "postil/ledger.hpp"         // IWYU pragma: export
#include "postil/metrics.hpp"        // IWYU pragma: export
#include "postil/model.hpp"          // IWYU pragma: export
#include "postil/output_file.hpp"    // IWYU pragma: export
#include "postil/params.hpp"         // IWYU pragma: export
#include "postil/random.hpp"         // IWYU pragma: export
#include "postil/reader.hpp"         // IWYU pragma: export
#include "postil/report.hpp"         // IWYU pragma: export
#include "postil/row.hpp"            // IWYU pragma: export
#include "postil/rule_check.hpp"     // IWYU pragma: export
#include "postil/rules.hpp"          // IWYU pragma: export
#include "postil/schema.hpp"         // IWYU pragma: export
#include "postil/session.hpp"        // IWYU pragma: export
#include "postil/tensor_file.hpp"    // IWYU pragma: export
#include "postil/train.hpp"          // IWYU pragma: export
#include "postil/writer.hpp"         // IWYU pragma: export
