// Everything but json.hpp, which needs nlohmann-json.
#pragma once

#include "postil/archive.hpp"        // IWYU pragma: export
#include "postil/ask.hpp"            // IWYU pragma: export
#include "postil/checksum.hpp"       // IWYU pragma: export
#include "postil/data.hpp"           // IWYU pragma: export
#include "postil/drift.hpp"          // IWYU pragma: export
#include "postil/error.hpp"          // IWYU pragma: export
#include "postil/evaluate.hpp"       // IWYU pragma: export
#include "postil/export.hpp"         // IWYU pragma: export
#include "postil/inspect.hpp"        // IWYU pragma: export
#include "postil/learner.hpp"        // IWYU pragma: export
#include "postil/model.hpp"          // IWYU pragma: export
#include "postil/output_file.hpp"    // IWYU pragma: export
#include "postil/params.hpp"         // IWYU pragma: export
#include "postil/probabilities.hpp"  // IWYU pragma: export
#include "postil/random.hpp"         // IWYU pragma: export
#include "postil/repair.hpp"         // IWYU pragma: export
#include "postil/report.hpp"         // IWYU pragma: export
#include "postil/row.hpp"            // IWYU pragma: export
#include "postil/rule_edits.hpp"     // IWYU pragma: export
#include "postil/rule_forms.hpp"     // IWYU pragma: export
#include "postil/rules.hpp"          // IWYU pragma: export
#include "postil/schema.hpp"         // IWYU pragma: export
#include "postil/scorecard.hpp"      // IWYU pragma: export
#include "postil/session.hpp"        // IWYU pragma: export
#include "postil/shards.hpp"         // IWYU pragma: export
#include "postil/suggest.hpp"        // IWYU pragma: export
#include "postil/text.hpp"           // IWYU pragma: export
#include "postil/train.hpp"          // IWYU pragma: export
#include "postil/watch.hpp"          // IWYU pragma: export
#include "postil/worth.hpp"          // IWYU pragma: export
