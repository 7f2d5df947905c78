// What printed numbers may be: for each a bar over all floats that print so, or single floats where these are known.
// `data` is the picture of lib/paste/line: every place is a fraction of the line's width.
function intervals(host, data) {
  const narrow = host.clientWidth < 560;
  const closeUp = data.magnified;
  const left = narrow || !data.rows.length ? 0 : 132;
  const step = narrow ? 62 : 46;
  const top = narrow ? 50 : 30;
  const axisY = top + (data.rows.length - 1) * step;
  const rowsHeight = data.rows.length ? axisY + 34 : 0;
  const lineY = rowsHeight + (narrow ? 76 : 58);
  const [svg, full] = sheet(host, closeUp ? lineY + 74 : rowsHeight, data.label);
  const across = place => left + place * (full - left);

  data.rows.forEach((row, i) => drawRow(row, top + i * step));
  for (const label of data.axis) {
    rule(svg, across(label.at), axisY + 8, across(label.at), axisY + 17, 'tick');
    write(svg, across(label.at), axisY + 29, label.text, 'value quiet', 'middle');
  }
  if (closeUp) drawFloats();

  // A number: its text, and the bar of the floats that print so; a single float is its symbol.
  function drawRow(row, y) {
    const [from, to] = row.span.map(across);
    const sign = {first: '● ', second: '■ '}[row.who] ?? '';
    write(svg, 0, narrow ? y - 26 : y + 5, sign + row.name, `value strong text-${row.who}`);
    rule(svg, left, y, full, y, 'axis');
    for (const place of data.ticks) rule(svg, across(place), y - 5, across(place), y + 5, 'tick');
    if (row.one) {
      symbol(svg, (from + to) / 2, y, row.who, 6);
    } else {
      const width = Math.max(3, to - from);
      const radius = Math.min(8, width / 2);
      const look = `bar stroke-${row.who} bar-${row.who}`;
      draw(svg, 'rect', {x: from, y: y - 8, width, height: 16, rx: radius, class: look});
    }
    writeInside((from + to) / 2, y - 13, row.says, 'quiet halo');
  }

  function drawFloats() {
    rule(svg, left, lineY, full, lineY, 'axis');
    for (const place of closeUp.ticks) rule(svg, across(place), lineY - 9, across(place), lineY + 9, 'tick');
    const marks = [...closeUp.marks].sort((one, other) => one.at - other.at);
    // On one float both shapes are seen: the square is the larger one, and drawn first.
    const together = marks.length > 1 && marks[0].at === marks[1].at;
    if (together) marks.sort((one, other) => (one.who < other.who ? 1 : -1));
    const names = marks.map((mark, i) => drawMark(mark, i, marks, together));
    turnAway(names.filter(Boolean), marks);
    if (closeUp.bracket) {
      const [from, to] = closeUp.bracket.span.map(across);
      draw(svg, 'path', {d: `M${from},${lineY + 16}v8H${to}v-8`, class: 'bracket'});
      writeInside((from + to) / 2, lineY + 43, closeUp.bracket.says, 'strong');
    }
    const middle = closeUp.bracket ? (closeUp.bracket.span[0] + closeUp.bracket.span[1]) / 2 : closeUp.marks[0].at;
    writeInside(across(middle), lineY + 65, closeUp.below, 'quiet');
  }

  // A float: its symbol on its tick, and its name above; returns the name.
  function drawMark(mark, i, marks, together) {
    const x = across(mark.at);
    const raised = narrow && i && marks[0].name.length + mark.name.length > 24 ? 18 : 0;
    rule(svg, x, lineY - 28, x, lineY, `stem stroke-${mark.who}`);
    const radius = !together ? 7 : mark.who === 'second' ? 9 : 4.5;
    if (mark.who === 'either') draw(svg, 'circle', {cx: x, cy: lineY, r: 6, class: 'fill-either edge'});
    else symbol(svg, x, lineY, mark.who, radius);
    const look = `strong text-${mark.who} halo`;
    return mark.name && writeInside(x, lineY - 36 - raised, mark.name, look);
  }

  // Two names side by side that would touch each other are turned away from one another.
  function turnAway(names, marks) {
    if (names.length < 2) return;
    const [one, other] = names.map(name => name.getBBox());
    if (one.y !== other.y || one.x + one.width + 8 < other.x) return;
    names.forEach((name, i) => {
      name.setAttribute('text-anchor', i ? 'start' : 'end');
      name.setAttribute('x', across(marks[i].at) + (i ? -6 : 6));
      keepInside(name);
    });
  }

  function writeInside(x, y, content, look) {
    return keepInside(write(svg, x, y, content, look, 'middle'));
  }

  // Move a text sideways where it would leave the picture.
  function keepInside(text) {
    const box = text.getBBox();
    const shift = Math.max(0, 2 - box.x) - Math.max(0, box.x + box.width - full + 2);
    if (shift) text.setAttribute('x', Number(text.getAttribute('x')) + shift);
    return text;
  }
}
