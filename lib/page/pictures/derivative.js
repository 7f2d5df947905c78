// Is my derivative right? The float line at one x, with every formula; below it the error over x, with a range to drag.
// data: {title, about, note, label, line, curve, curve_label, unit, hint, x, range}; `line` is that of lib/derivative/explanation,
// `curve` that of lib/derivative/curve. Sends `pick`, a bin whose worst x is wanted, and `range`, the bins of the range.
const FRAME = `
  <section><div class="heading"><h2 class="title"></h2><span class="quiet note"></span></div><div class="host line"></div></section>
  <section>
    <div class="heading"><h2 class="unit"></h2><span class="quiet hint"></span></div>
    <p class="answer"></p>
    <div class="host errors"></div>
  </section>`;

DRAW.derivative = (root, data, act) => {
  const part = parts(root, FRAME);
  const state = (root.state ??= {sent: new Set()});
  const given = String(data.range);
  // While more keys are pressed, what was sent before comes back, and must not undo them.
  if (state.about !== data.about || (state.given !== given && !state.sent.has(given))) {
    Object.assign(state, {about: data.about, range: data.range});
  }
  if (given === String(state.range)) state.sent.clear();
  state.given = given;
  keepDrawn(root, () => {
    const {line, label, curve, x, curve_label, range} = data;
    for (const name of ['title', 'note', 'unit', 'hint']) part(`.${name}`).textContent = data[name];
    if (line && changed(root, 'line', [line, label])) labelledLine(part('.line'), line, label);
    if (!changed(root, 'curve', [curve, x, range])) return;
    const plot = errorCurve(part('.errors'), curve, {label: curve_label, x, pick: bin => act('pick', bin)});
    addRange(plot, curve, state, {
      moved: () => writeFigures(part, curve, state.range),
      chosen: () => {
        state.sent.add(String(state.range));
        act('range', state.range);
      },
    });
  });
};
