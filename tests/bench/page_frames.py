# SPDX-License-Identifier: MIT
"""page_frames.py - measures how smoothly a page of spoor view moves, and how soon it has the statistics of a range.

page_frames.py PAGE: a file, or the address of spoor view --serve. Prints lines of a name and a number: the share of
frames within 33 ms while the timeline moves, in percent, at three scales; and the milliseconds from the selection of a
range to its numbers.
"""
import os
import sys
sys.path.insert(0, os.environ["top_srcdir"] + "/tests/integration/readers")
from browser import Browser

SETTLED = "app && app.measured === app.measuring && !app.frame && !app.trace.chunks.some((chunk) => chunk.loading) && !app.timeline.missing"
FRAMES = 300
browser = Browser(1920, 1080)
try:
    browser.open(sys.argv[1])
    browser.until("document.readyState === 'complete' && " + SETTLED, 300)
    print("calls", browser.script("app.trace.functions.reduce((sum, fn) => sum + (fn.calls || 0), 0)"))
    for share in 0.5, 0.02, 0.0005:
        browser.script(f"app.timeline.show(app.trace.span * 0.3, app.trace.span * (0.3 + {share}))")
        browser.until(SETTLED)
        times = browser.script(f"""new Promise((resolve) => {{
            const times = [], {{ timeline }} = app;
            let last = performance.now(), way = 1;
            const frame = (now) => {{
                times.push(now - last);
                last = now;
                if (times.length > {FRAMES})
                    return resolve(times.slice(1));
                if (timeline.end >= timeline.most || timeline.begin <= timeline.least)
                    way = -way;
                timeline.move(way * (timeline.end - timeline.begin) * 0.01);
                requestAnimationFrame(frame);
            }};
            requestAnimationFrame(frame);
        }})""")
        print(f"frames_{share}", 100 * sum(time <= 33.4 for time in times) / len(times))
    for begin, end in (0.01, 0.99), (0.2, 0.8), (0.45, 0.46):
        print(f"range_{begin}_{end}", browser.script(f"""(async () => {{
            const since = performance.now(), {{ span }} = app.trace;
            app.setRange([Math.round(span * {begin}), Math.round(span * {end})]);
            while (app.measured !== app.measuring)
                await new Promise((resolve) => setTimeout(resolve));
            return performance.now() - since;
        }})()"""))
finally:
    browser.close()
