// How pages look: on light and dark screens, on phones and on paper. Contrasts are at least 4.5 to 1 for text, 3 to 1 for marks.
#pragma once

#include <string_view>

namespace postil::html {

inline constexpr std::string_view kStyle =
    R"(:root{--paper:#fff;--ink:#1b1f24;--quiet:#57606a;--rule:#d0d7de;--ground:#e6eaef;--yes:#1b6ca8;--no:#b34d12;--box:#f6f8fa;--warn:#8a4b00;--warn-box:#fff6e5;--line:#1b6ca8}
@media (prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#e6edf3;--quiet:#a3adb8;--rule:#3a434d;--ground:#2a323b;--yes:#6db3e8;--no:#f0935a;--box:#1c2229;--warn:#f5b95c;--warn-box:#2b2310;--line:#6db3e8}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1rem 1.25rem 4rem;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.7rem;line-height:1.25;margin:.6rem 0}
h2{font-size:1.3rem;margin:2.2rem 0 .6rem;padding-top:.5rem;border-top:1px solid var(--rule)}
h3{font-size:1.06rem;margin:1.5rem 0 .4rem}
p,ul,dl{margin:.5rem 0;max-width:46rem}
ul{padding-left:1.3rem}
li{margin:.25rem 0}
a{color:var(--yes)}
nav ul{columns:2;column-gap:2rem;list-style:none;padding:0}
nav li{margin:0;padding:.15rem 0;break-inside:avoid}
dl{display:grid;grid-template-columns:minmax(9rem,14rem) 1fr;gap:.25rem 1rem}
dt{color:var(--quiet)}
dd{margin:0}
.lead{font-size:1.06rem}
.note{border-left:4px solid var(--warn);background:var(--warn-box);padding:.5rem .9rem;margin:.8rem 0;max-width:46rem}
.note strong{color:var(--warn)}
.quiet{color:var(--quiet)}
.scroll{overflow-x:auto;margin:.8rem 0;max-width:100%}
.scroll:focus-visible{outline:2px solid var(--yes)}
table{border-collapse:collapse;font-size:.92rem}
caption{caption-side:top;min-width:17rem;text-align:left;font-weight:600;padding:.2rem 0 .4rem}
th,td{padding:.28rem .7rem .28rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule);overflow-wrap:break-word}
thead th{color:var(--quiet);font-weight:600;vertical-align:bottom;max-width:9rem}
thead .number{white-space:normal}
tbody th{font-weight:500;min-width:6rem;max-width:22rem}
td{max-width:26rem}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.nowrap{white-space:nowrap}
code,pre{font:.88rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
code{overflow-wrap:anywhere}
pre{background:var(--box);padding:.7rem .9rem;overflow-x:auto;white-space:pre-wrap}
details summary{cursor:pointer;margin:.4rem 0}
.good{color:var(--yes);font-weight:600}
.bad{color:var(--no);font-weight:600}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(28rem,100%),1fr));gap:0 1rem;align-items:start}
.card{min-width:0;border:1px solid var(--rule);border-radius:.4rem;padding:.2rem .9rem .5rem;margin:.8rem 0;break-inside:avoid}
.card h4{margin:.6rem 0 .3rem;font-size:1rem}
.figures{display:flex;flex-wrap:wrap;gap:1rem 2rem}
figure{margin:.6rem 0;width:22.5rem;max-width:100%;break-inside:avoid}
figcaption{font-size:.88rem;color:var(--quiet)}
figcaption strong{color:var(--ink)}
.chart{display:block;width:100%;height:auto}
.chart text{fill:var(--quiet);font:11px system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif}
.chart .label{fill:var(--ink);font-size:12px}
.chart .grid{stroke:var(--rule);stroke-width:.7;fill:none}
.chart .line{stroke:var(--line);stroke-width:2;fill:none;stroke-linejoin:round}
.chart .dashed{stroke:var(--quiet);stroke-width:1.3;stroke-dasharray:5 4}
.chart .range{stroke:var(--line);stroke-width:1.4;fill:none}
.chart .dot{fill:var(--line)}
.bar{width:6rem;height:.75rem;vertical-align:-.05rem}
.bar .ground{fill:var(--ground)}
.bar .yes{fill:var(--yes)}
.bar .no{fill:var(--no)}
.bar .mark{fill:var(--ink)}
footer{margin-top:3rem;color:var(--quiet);font-size:.88rem}
@media (max-width:40rem){body{padding:.6rem .8rem 3rem}h1{font-size:1.4rem}nav ul{columns:1}dl{grid-template-columns:1fr;gap:0}dd{margin:0 0 .5rem}.bar{width:4rem}}
@media print{:root{--paper:#fff;--ink:#000;--quiet:#444;--rule:#bbb;--ground:#ddd;--yes:#1b5a8c;--no:#96400f;--box:#f4f4f4;--warn:#6b3a00;--warn-box:#fff;--line:#1b5a8c}body{max-width:none;padding:0;font-size:10pt}nav{display:none}.scroll{overflow:visible}h2,h3,h4{break-after:avoid}tr{break-inside:avoid}a{color:inherit;text-decoration:none}pre{border:1px solid #bbb}}
)";

}  // namespace postil::html
