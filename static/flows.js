// The paths that merge: outputs at the left, x in the middle, the rows that come back at the right. A band is as wide as
// the gradient that it carries is large. Asked row by row, each has an x of its own; asked in one call, all end in one x,
// which adds them up and hands the same sum out for every row. `drawing` is a drawing of lib/pitfall/merging. Returns what
// shows it: `pose(merged, lit)`, from 0, row by row, to 1, one call, with the path of output `lit`, or null, in full; its
// `sums` are the text for which the one x has no room.
const {set, shape, write, box, sheet, rove} = await import('./kit.js' + new URL(import.meta.url).search);

export function flows(host, drawing, light) {
  const {outputs, rows, sizes, total, sums, merges, wrong, right} = drawing;
  const narrow = host.clientWidth < 560;
  const height = narrow ? 270 : 400;
  const [svg, width] = sheet(host, height, '', 'group');
  const [count, inputs] = [outputs.length, rows[0].length];
  const crowded = narrow && inputs > 2;
  const cell = narrow ? (inputs > 3 ? 41 : 44) : inputs > 2 ? 54 : 66;
  host.classList.toggle('narrow', narrow);
  const radius = narrow ? 17 : 18;
  const [first, last] = [radius + 8, width - inputs * cell];
  const long = 12 + 3.8 * Math.max(0, ...sums.map(sum => sum.join('').length));
  const added = sums.length > 0 && long < (last - first) * 0.32;
  const reach = added ? long : narrow ? 26 : 52;
  const middle = (first + last) / 2 + (narrow ? 0 : 10);
  const centre = 28 + (height - 48) / 2;
  const gap = Math.min(130, (height - 54) / count);
  const tall = Math.min(34, gap - 21);
  const place = i => centre + (i - (count - 1) / 2) * gap;
  const big = Math.max(44 + 18 * inputs, Math.min(130, count * gap - 30)); // the one x
  const summed = sizes.reduce((one, other) => one + other, 0);
  const scale = Math.min(24, (big - 12) / Math.max(summed, total * count, 0.1), gap - 12);
  const wide = size => Math.max(1.5, size * scale);
  const before = i => sizes.slice(0, i).reduce((one, other) => one + other, 0);
  const lanes = sizes.map((size, i) => centre + (before(i) + size / 2 - summed / 2) * scale);
  const ports = outputs.map((name, i) => centre + (i - (count - 1) / 2) * Math.max(wide(total) + 4, (big - 12) / count));
  const mix = (one, other, share) => one + (other - one) * share;
  const within = share => Math.max(0, Math.min(1, share));
  const band = look => shape(svg, 'path', {class: `ribbon ${look}`});
  const curve = (x1, y1, x2, y2) => `M${x1},${y1}C${(x1 + x2) / 2},${y1} ${(x1 + x2) / 2},${y2} ${x2},${y2}`;

  const headings = [narrow ? 'outputs' : 'outputs and gradients', '', narrow ? 'rows' : 'the rows you get'].map((text, i) => {
    return write(svg, [0, middle, width][i], 14, text, 'quiet strong', ['start', 'middle', 'end'][i]);
  });
  const should = shape(headings[2], 'tspan', {class: 'text-second'}, ' / should be');
  const paths = outputs.map((name, i) => ({
    frame: box(svg, 1, 0, 2 * radius + 14, 0, '', {rx: 12}),
    into: band('stroke-second'), through: band('stroke-second'), sum: band('stroke-differ'), part: band('stroke-second'),
  }));
  const xs = outputs.map((name, i) => {
    const node = box(svg, middle - reach, 0, 2 * reach, 0, 'node', {rx: 9});
    return {node, name: write(svg, middle, place(i) + 4.5, 'x', 'strong', 'middle')};
  });
  const merged = shape(svg, 'g');
  const top = centre - 9 * (inputs + 1); // of the lines within the one x
  write(merged, middle, top + 9, narrow ? 'x' : 'one x, one sum', 'strong', 'middle');
  const terms = outputs.map(() => []);
  (added ? sums : wrong.matrix[0].map(text => [text])).forEach((sum, j) => {
    const line = write(merged, middle, top + 31 + 18 * j, '', 'value', 'middle', {'xml:space': 'preserve'});
    sum.forEach((text, i) => {
      const term = shape(line, 'tspan', {class: i === sum.length - 1 ? 'strong text-differ' : ''}, text);
      if (added && i < count) terms[i].push(term);
    });
  });
  const answers = outputs.map((name, i) => ({
    cells: rows[i].map((text, j) => {
      const [x, y] = [last + j * cell, place(i) + 4.5];
      const frame = box(svg, x, place(i) - tall / 2, cell - 3, tall, 'entry', {rx: 4});
      const [is, should] = [wrong.matrix[i][j], text].map(text => write(svg, x + (cell - 3) / 2, y, text, '', 'middle'));
      return {frame, is, should};
    }),
  }));
  rove('output', outputs.map(drawOutput), 0, () => {}, {ArrowDown: 1, ArrowUp: -1});

  function drawOutput(name, i) {
    const label = `${name}: ${right.lit[i]}; in one call, ${wrong.lit[i]}`;
    const group = shape(svg, 'g', {class: 'output', role: 'img', 'aria-label': label});
    box(group, 0, place(i) - 26, middle - reach, 52, 'reach');
    shape(group, 'circle', {cx: first, cy: place(i), r: radius, class: 'node'});
    write(group, first, place(i) + 4.5, name, 'strong', 'middle');
    const row = `[${rows[i]}]`;
    const fits = !narrow && (count < 3 || gap > 60) && row.length < 8;
    if (fits) write(group, first, place(i) + radius + 15, row, 'value halo', 'middle');
    group.onpointerenter = group.onfocus = () => light(i);
    group.onpointerleave = group.onblur = () => light(null);
    return group;
  }

  const pose = (share, lit) => {
    const m = merges ? share : 0;
    const shown = (on, usual = 0.45) => (lit === null ? usual : on ? 0.95 : 0.14);
    const [leave, come] = [within(1 - 2 * m), within(2 * m - 1)];
    const way = share > 0.5 ? wrong : right;
    set(svg, {'aria-label': way.label});
    headings[1].textContent = crowded ? '' : way.leaf;
    outputs.forEach((name, i) => {
      const [y, lane, port] = [place(i), mix(place(i), lanes[i], m), mix(place(i), ports[i], m)];
      const {frame, into, through, sum, part} = paths[i];
      const [high, low] = [mix(y, place(0), within(2 * m)) - gap / 2 + 4, mix(y, place(count - 1), within(2 * m)) + gap / 2 - 4];
      const shift = lit === null ? 0 : (lanes[lit] - centre) * (total < summed ? total / summed : 1);
      const out = aside => curve(middle + reach, port + aside, last, y + aside);
      set(frame, {y: high, height: low - high, class: `call ${m > 0.5 ? 'wrong' : ''}`, opacity: m > 0.9 && i ? 0 : 1});
      set(into, {d: curve(first + radius, y, middle - reach, lane), 'stroke-width': wide(sizes[i]), opacity: shown(lit === i)});
      set(through, {d: out(0), 'stroke-width': wide(sizes[i]), opacity: leave * shown(lit === i)});
      set(sum, {d: out(0), 'stroke-width': wide(total), opacity: come * shown(false)});
      set(part, {d: out(shift), 'stroke-width': wide(sizes[lit] ?? 0), opacity: lit === null ? 0 : come * 0.7});
      set(xs[i].node, {y: mix(y - 15, centre - big / 2, m), height: mix(30, big, m)});
      set(xs[i].name, {opacity: within(1 - 4 * m)});
      terms[i].forEach(term => term.setAttribute('class', lit === i ? 'strong text-second' : ''));
      answers[i].cells.forEach(({frame, is, should}) => {
        set(frame, {class: `entry ${m > 0.5 ? 'differ' : 'second'} ${lit === i ? 'lit' : ''}`});
        set(is, {class: 'value strong text-differ', opacity: come});
        set(should, {y: mix(y + 4.5, y + tall / 2 + 14, m), class: `value ${m > 0.5 ? '' : 'strong'} text-second halo`});
      });
    });
    set(merged, {opacity: within(4 * m - 3)});
    set(should, {opacity: come});
  };
  return Object.assign(pose, {sums: added ? '' : sums.map(sum => sum.join('')).join(', ')});
}
