// The paths that merge: outputs at the left, x in the middle, the rows that come back at the right. A band is as wide as
// the gradient that it carries is large. Asked row by row, each has an x of its own; asked in one call, all end in one x,
// which adds them up and hands the same sum out for every row. `drawing` is a Merging of lib/pitfall/merging. `light`
// hears of the output under the pointer or with the focus, null if there is none. Returns `pose(share, lit)`, which shows
// the drawing from 0, row by row, to 1, one call, with the path of output `lit`, or null, in full; its `sums` are the text
// for which the one x has no room.
const {clamp, set, shape, write, box, sheet, rove} = await import('./kit.js' + new URL(import.meta.url).search);

export function flows(host, {outputs, sizes, total, sums, merges, wrong, right}, light) {
  const rows = right.matrix;
  const narrow = host.clientWidth < 560;
  const height = narrow ? 270 : 400;
  const [svg, width] = sheet(host, height, '', 'group');
  const [count, inputs] = [outputs.length, rows[0].length];
  const cell = narrow ? (inputs > 3 ? 41 : 44) : inputs > 2 ? 54 : 66;
  host.classList.toggle('narrow', narrow);
  const radius = narrow ? 17 : 18;
  const [first, last] = [radius + (narrow ? 8 : 13), width - inputs * cell];
  const long = 12 + 3.8 * Math.max(0, ...sums.map(sum => sum.join('').length));
  const added = merges && long < (last - first) * 0.32;
  const reach = added ? long : narrow ? 26 : 52;
  const middle = (first + last) / 2 + (narrow ? 0 : 10);
  const centre = 28 + (height - 48) / 2;
  const gap = Math.min(130, (height - 54) / count);
  const tall = Math.min(34, gap - 21);
  const told = !narrow && gap > 60 && rows.every(row => `${row}`.length < 6); // each gradient, below its output
  const place = i => centre + (i - (count - 1) / 2) * gap;
  const big = Math.max(44 + 18 * inputs, Math.min(130, count * gap - 30)); // the one x
  const before = i => sizes.slice(0, i).reduce((sum, size) => sum + size, 0);
  const summed = before(count);
  const scale = Math.min(24, (big - 12) / Math.max(summed, total * count, 0.1), gap - 12);
  const wide = size => Math.max(1.5, size * scale);
  const lanes = sizes.map((size, i) => centre + (before(i) + size / 2 - summed / 2) * scale);
  const ports = outputs.map((_, i) => centre + (i - (count - 1) / 2) * Math.max(wide(total) + 4, (big - 12) / count));
  const mix = (from, to, share) => from + (to - from) * share;
  const band = look => shape(svg, 'path', {class: `ribbon ${look}`});
  const curve = (x1, y1, x2, y2) => `M${x1},${y1}C${(x1 + x2) / 2},${y1} ${(x1 + x2) / 2},${y2} ${x2},${y2}`;

  write(svg, 0, 14, told ? 'outputs and gradients' : 'outputs', 'quiet strong');
  const leaf = write(svg, middle, 14, '', 'quiet strong', 'middle');
  const heading = write(svg, width, 14, narrow ? 'rows' : 'the rows you get', 'quiet strong', 'end');
  const correction = shape(heading, 'tspan', {class: 'text-second'}, ' / should be');
  const paths = outputs.map(() => ({
    frame: box(svg, 1, 0, 2 * first - 2, 0, '', {rx: 12}),
    into: band('stroke-second'), through: band('stroke-second'), sum: band('stroke-differ'), part: band('stroke-second'),
  }));
  const xs = outputs.map((_, i) => {
    const node = box(svg, middle - reach, 0, 2 * reach, 0, 'node', {rx: 9});
    return {node, name: write(svg, middle, place(i) + 4.5, 'x', 'strong', 'middle')};
  });
  const merged = shape(svg, 'g');
  const top = centre - 9 * (inputs + 1); // of the lines within the one x
  write(merged, middle, top + 9, narrow ? 'x' : 'one x, one sum', 'strong', 'middle');
  const terms = (added ? sums : wrong.matrix[0].map(text => [text])).map((sum, j) => {
    const line = set(write(merged, middle, top + 31 + 18 * j, '', 'value', 'middle'), {'xml:space': 'preserve'});
    const parts = sum.map(text => shape(line, 'tspan', {}, text));
    set(parts.pop(), {class: 'strong text-differ'});
    return parts;
  });
  const cells = rows.map((row, i) => row.map((text, j) => {
    const x = last + j * cell;
    const frame = box(svg, x, place(i) - tall / 2, cell - 3, tall, '', {rx: 4});
    const [is, should] = [wrong.matrix[i][j], text].map(text => write(svg, x + (cell - 3) / 2, place(i) + 4.5, text, '', 'middle'));
    return {frame, is, should};
  }));
  rove('output', outputs.map(drawOutput), 0, () => {}, ['ArrowUp', 'ArrowDown']);

  function drawOutput(name, i) {
    const group = shape(svg, 'g', {class: 'output', role: 'img'});
    group.ariaLabel = `${name}: ${right.highlights[i]}; in one call, ${wrong.highlights[i]}`;
    box(group, 0, place(i) - 26, middle - reach, 52, 'reach');
    shape(group, 'circle', {cx: first, cy: place(i), r: radius, class: 'node'});
    write(group, first, place(i) + 4.5, name, 'strong', 'middle');
    if (told) write(group, first, place(i) + radius + 15, `[${rows[i]}]`, 'value', 'middle');
    group.onpointerenter = group.onfocus = () => light(i);
    group.onpointerleave = group.onblur = () => light(null);
    return group;
  }

  function pose(share, lit) {
    const m = merges ? share : 0;
    const shown = on => (lit === null ? 0.45 : on ? 0.95 : 0.14);
    const [leave, come] = [clamp(1 - 2 * m), clamp(2 * m - 1)];
    const way = share > 0.5 ? wrong : right;
    const kind = m > 0.5 ? 'differ' : 'second';
    set(svg, {'aria-label': way.label});
    leaf.textContent = narrow && inputs > 2 ? '' : way.leaf;
    outputs.forEach((_, i) => {
      const [y, lane, port] = [place(i), mix(place(i), lanes[i], m), mix(place(i), ports[i], m)];
      const {frame, into, through, sum, part} = paths[i];
      const high = mix(y, place(0), clamp(2 * m)) - gap / 2 + 4;
      const low = mix(y, place(count - 1), clamp(2 * m)) + gap / 2 - 4;
      const shift = lit === null ? 0 : (lanes[lit] - centre) * (total < summed ? total / summed : 1);
      const out = aside => curve(middle + reach, port + aside, last, y + aside);
      set(frame, {y: high, height: low - high, class: `call stroke-${kind}`, opacity: m > 0.9 && i ? 0 : 1});
      set(into, {d: curve(first + radius, y, middle - reach, lane), 'stroke-width': wide(sizes[i]), opacity: shown(lit === i)});
      set(through, {d: out(0), 'stroke-width': wide(sizes[i]), opacity: leave * shown(lit === i)});
      set(sum, {d: out(0), 'stroke-width': wide(total), opacity: come * shown(false)});
      set(part, {d: out(shift), 'stroke-width': wide(sizes[lit] ?? 0), opacity: lit === null ? 0 : come * 0.7});
      set(xs[i].node, {y: mix(y - 15, centre - big / 2, m), height: mix(30, big, m)});
      set(xs[i].name, {opacity: clamp(1 - 4 * m)});
      for (const parts of terms) if (parts[i]) set(parts[i], {class: lit === i ? 'strong text-second' : ''});
      for (const {frame, is, should} of cells[i]) {
        set(frame, {class: `entry is-${kind} ${lit === i ? 'lit' : ''}`});
        set(is, {class: 'value strong text-differ', opacity: come});
        set(should, {y: mix(y + 4.5, y + tall / 2 + 14, m), class: `value ${m > 0.5 ? '' : 'strong'} text-second halo`});
      }
    });
    set(merged, {opacity: clamp(4 * m - 3)});
    set(correction, {opacity: come});
  }
  return Object.assign(pose, {sums: added ? '' : sums.map(sum => sum.join('')).join(', ')});
}
