// Is my derivative right? The float line at one x, with every formula; below it the error over x, with a range to drag.
// data: {title, about, note, label, line, curve, curve_label, unit, hint, said, x, range}; `line` is that of
// lib/derivative/line, `curve` that of lib/derivative/curve. Sends `pick`, a bin whose worst x is wanted, and `range`, the bins of the range.
const FRAME = `
  <section class="spot">
    <div class="heading spot-heading"><h2 class="title"></h2><p class="quiet note"></p></div>
    <div class="host line"></div>
  </section>
  <section class="over">
    <div class="heading figures"><h2 class="answer"></h2><p class="rest"></p></div>
    <div class="heading keys"><p class="quiet unit"></p><p class="quiet hint"></p></div>
    <div class="host errors"></div>
    <p class="telling quiet"></p>
  </section>`;

DRAW.derivative = (root, data, act) => {
  const part = parts(root, FRAME);
  const state = (root.state ??= {sent: new Set()});
  const given = String(data.range);
  // While more keys are pressed, what was sent before comes back, and must not undo them.
  if (state.about !== data.about || (state.given !== given && !state.sent.has(given))) {
    Object.assign(state, {about: data.about, range: data.range, bin: undefined});
  }
  if (given === String(state.range)) state.sent.clear();
  state.given = given;
  keepDrawn(root, () => {
    part('.title').textContent = data.title;
    part('.note').textContent = data.note;
    part('.unit').textContent = data.unit;
    part('.hint').textContent = data.hint;
    const {line, label, curve, x} = data;
    if (line && changed(root, 'line', [line, label])) labelledLine(part('.line'), line, label);
    if (!changed(root, 'curve', [curve, x, data.range])) return;
    const focused = root.getRootNode().activeElement?.dataset?.part;
    const plot = errorCurve(part('.errors'), curve, {label: data.curve_label, x});
    const said = bin => {
      part('.telling').textContent = bin === null ? data.said : binSentence(curve, bin);
    };
    rangeOf(plot, curve.edges, state, {
      says: range => rangeSentence(curve, range),
      saysOf: bin => binSentence(curve, bin),
      moved: () => writeFigures(part, curve, state.range),
      chosen: () => {
        state.sent.add(String(state.range));
        act('range', state.range);
      },
      at: said,
      picked: bin => act('pick', bin),
    });
    if (focused) part(`[data-part="${focused}"]`)?.focus({preventScroll: true});
  });
};
