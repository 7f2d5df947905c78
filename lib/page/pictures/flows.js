// The paths that merge: outputs at the left, x in the middle, the rows that come back at the right. A band is as wide as
// the gradient that it carries is large. Asked row by row, each has an x of its own; asked in one call, all end in one x,
// which adds them up and hands the same sum out for every row. `drawing` is a drawing of lib/pitfall/merging. Returns what
// shows it: `pose(merged, lit)`, from 0, row by row, to 1, one call, with the path of output `lit`, or null, in full.
function flows(host, drawing, light) {
  const {outputs, rows, sizes, total, sums, merges} = drawing;
  const narrow = host.clientWidth < 560;
  const height = 318;
  const [svg, width] = sheet(host, height, '', 'group');
  const [count, inputs] = [outputs.length, rows[0].length];
  const crowded = narrow && inputs > 2;
  const cell = narrow ? (inputs > 2 ? 40 : 44) : inputs > 2 ? 54 : 66;
  const radius = narrow ? 17 : 18;
  const first = radius + 8;
  const last = width - inputs * cell;
  const written = sums.map(sum => sum.join(''));
  const long = 12 + 3.7 * Math.max(0, ...written.map(text => text.length));
  const added = sums.length > 0 && long < (last - first) * 0.32;
  const reach = added ? long : narrow ? 26 : 52;
  const middle = (first + last) / 2 + (narrow ? 0 : 18);
  const centre = 34 + (height - 48) / 2;
  const gap = Math.min(130, (height - 62) / count);
  const tall = Math.min(34, gap - 19);
  const place = i => centre + (i - (count - 1) / 2) * gap - 6;
  const box = Math.max(44 + 18 * inputs, Math.min(130, count * gap - 30));
  const top = centre - 6 - 9 * (inputs + 1); // of the lines within the box
  const summed = sizes.reduce((one, other) => one + other, 0);
  const scale = Math.min(24, (box - 12) / Math.max(summed, total * count, 0.1), gap - 12);
  const wide = size => Math.max(1.5, size * scale);
  const lanes = sizes.map((size, i) => centre - 6 + (sizes.slice(0, i).reduce((a, b) => a + b, 0) + size / 2 - summed / 2) * scale);
  const ports = outputs.map((name, i) => centre - 6 + (i - (count - 1) / 2) * Math.max(wide(total) + 4, (box - 12) / count));
  const mix = (one, other, share) => one + (other - one) * share;
  const within = share => Math.max(0, Math.min(1, share));

  const headings = ['outputs', '', crowded ? 'rows' : 'the rows you get'].map((text, i) => {
    const x = [0, middle, (last + width) / 2][i];
    return write(svg, x, 14, text, 'quiet strong', i ? 'middle' : 'start');
  });
  const calls = draw(svg, 'g');
  const frames = outputs.map(() => draw(calls, 'rect', {x: 1, width: 2 * radius + 14, rx: 12}));
  const band = look => draw(svg, 'path', {class: `ribbon ${look}`});
  const paths = outputs.map((name, i) => ({
    into: band('stroke-second'), through: band('stroke-second'), sum: band('stroke-differ'), part: band('stroke-second part'),
  }));
  const boxes = outputs.map(() => draw(svg, 'rect', {x: middle - reach, width: 2 * reach, rx: 9, class: 'node'}));
  const own = outputs.map((name, i) => write(svg, middle, place(i) + 4.5, 'x', 'strong', 'middle'));
  const merged = draw(svg, 'g');
  write(merged, middle, top + 9, narrow ? 'x' : 'one x, one sum', 'strong', 'middle');
  const terms = [];
  (added ? sums : drawing.wrong.matrix[0].map(text => [text])).forEach((sum, j) => {
    const line = write(merged, middle, top + 31 + 18 * j, '', 'value', 'middle', {'xml:space': 'preserve'});
    sum.forEach((text, i) => {
      const term = draw(line, 'tspan', {class: i === sum.length - 1 ? 'strong text-differ' : ''}, text);
      if (added && i < count) (terms[i] ??= []).push(term);
    });
  });
  const answers = outputs.map((name, i) => drawRow(i));
  outputs.forEach(drawOutput);

  function drawOutput(name, i) {
    const told = [drawing.wrong.lit[i], drawing.right.lit[i]];
    const group = draw(svg, 'g', {class: 'output', role: 'img', tabindex: i ? -1 : 0, 'aria-label': `${name}: ${told[1]}; in one call, ${told[0]}`});
    draw(group, 'rect', {x: 0, y: place(i) - 26, width: middle - reach, height: 52, class: 'reach'});
    draw(group, 'circle', {cx: first, cy: place(i), r: radius, class: 'node'});
    write(group, first, place(i) + 4.5, name, 'strong', 'middle');
    const above = i < count / 2;
    const row = `[${rows[i].join(', ')}]`;
    const label = {x: first + radius + 14, y: place(i) + (above ? -11 - wide(sizes[i]) / 2 : 18 + wide(sizes[i]) / 2)};
    const fits = !narrow && (7.3 * row.length < middle - reach - label.x || count < 3);
    if (fits) write(group, label.x, label.y, row, 'value halo');
    group.onpointerenter = group.onfocus = () => light(i);
    group.onpointerleave = group.onblur = () => light(null);
    group.onkeydown = event => {
      const to = stepped(event, i, count - 1, {ArrowDown: 1, ArrowUp: -1});
      if (to === null) return;
      const all = host.querySelectorAll('.output');
      all.forEach((one, k) => one.setAttribute('tabindex', k === to ? 0 : -1));
      all[to].focus();
    };
  }

  // A row that comes back: its cells, and under each, in one call, what it should be.
  function drawRow(i) {
    const cells = rows[i].map((right, j) => {
      const x = last + j * cell;
      const middle = x + (cell - 3) / 2;
      return {
        frame: draw(svg, 'rect', {x, y: place(i) - tall / 2, width: cell - 3, height: tall, rx: 4, class: 'entry'}),
        wrong: write(svg, middle, place(i) + 4.5, drawing.wrong.matrix[i][j], 'value strong text-differ', 'middle'),
        right: write(svg, middle, place(i) + 4.5, right, 'value strong text-second', 'middle'),
      };
    });
    const should = write(svg, last - 7, place(i) + tall / 2 + 13, narrow ? 'not' : 'should be', 'quiet halo', 'end');
    return {cells, should};
  }

  function curve(x1, y1, x2, y2) {
    const bend = (x1 + x2) / 2;
    return `M${x1},${y1}C${bend},${y1} ${bend},${y2} ${x2},${y2}`;
  }

  return (share, lit) => {
    const m = merges ? share : 0;
    const set = (element, attributes) => Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    const shown = (on, usual = 0.45) => (lit === null ? usual : on ? 0.95 : 0.14);
    const [leave, come] = [within(1 - m / 0.5), within((m - 0.5) / 0.5)];
    svg.setAttribute('aria-label', drawing[share > 0.5 ? 'wrong' : 'right'].label);
    headings[1].textContent = crowded ? '' : drawing[share > 0.5 ? 'wrong' : 'right'].leaf;
    outputs.forEach((name, i) => {
      const [y, lane, port] = [place(i), mix(place(i), lanes[i], m), mix(place(i), ports[i], m)];
      const {into, through, sum, part} = paths[i];
      const [high, low] = [mix(y, place(0), within(2 * m)) - gap / 2 + 4, mix(y, place(count - 1), within(2 * m)) + gap / 2 - 4];
      set(frames[i], {y: high, height: low - high, class: `frame-of-call ${m > 0.5 ? 'wrong' : ''}`, opacity: m > 0.9 && i ? 0 : 1});
      set(into, {d: curve(first + radius, y, middle - reach, lane), 'stroke-width': wide(sizes[i]), opacity: shown(lit === i)});
      set(through, {d: curve(middle + reach, port, last, y), 'stroke-width': wide(sizes[i]), opacity: leave * shown(lit === i)});
      set(sum, {d: curve(middle + reach, port, last, y), 'stroke-width': wide(total), opacity: come * shown(false, 0.45)});
      if (lit !== null) {
        const aside = (lanes[lit] - centre + 6) * (total < summed ? total / summed : 1);
        set(part, {d: curve(middle + reach, port + aside, last, y + aside), 'stroke-width': wide(sizes[lit]), opacity: come * 0.7});
      } else part.setAttribute('opacity', 0);
      set(boxes[i], {y: mix(y - 15, centre - 6 - box / 2, m), height: mix(30, box, m)});
      own[i].setAttribute('opacity', within(1 - 4 * m));
      terms[i]?.forEach(term => term.setAttribute('class', lit === i ? 'strong text-second' : ''));
      const {cells, should} = answers[i];
      should.setAttribute('opacity', come);
      cells.forEach(({frame, wrong, right}) => {
        frame.setAttribute('class', `entry ${m > 0.5 ? 'differ' : 'second'} ${lit === i ? 'lit' : ''}`);
        wrong.setAttribute('opacity', come);
        set(right, {y: mix(y + 4.5, y + tall / 2 + 13, m), class: `value ${m > 0.5 ? '' : 'strong'} text-second halo`});
      });
    });
    merged.setAttribute('opacity', within(4 * m - 3));
  };
}
