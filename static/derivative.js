// Is my derivative right? The float line at one x, with every formula; below it the error over x, with a range to drag.
// data: {title, note, label, line, curve, curve_label, unit, hint, x, range}; `line` is that of lib/derivative/explanation,
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
  // A range that is dragged, or that no message has taken so far, is not undone by what was sent before.
  const pending = root.closest('.live').acts.some(([name]) => name === 'range');
  if (!pending && !press.on) root.range = data.range;
  keepDrawn(root, () => {
    const {line, label, curve, x, curve_label} = data;
    for (const name of ['title', 'note', 'unit', 'hint']) part(`.${name}`).textContent = data[name];
    if (line && changed(root, 'line', [line, label])) labelledLine(part('.line'), line, label);
    if (!changed(root, 'curve', [curve, x, root.range])) return;
    const plot = errorCurve(part('.errors'), curve, {label: curve_label, x, pick: bin => act('pick', bin)});
    addRange(plot, curve, root, {
      moved: () => writeFigures(part, curve, root.range),
      chosen: () => act('range', root.range),
    });
  });
};
