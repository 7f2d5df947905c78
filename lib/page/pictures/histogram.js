// How many floats apart the two results are: a bar for each distance, grey in the middle where they are equal.
// `histogram` has a `label` in words, the `axis`' name, grid `lines` (share, text), the share at its `top`, and `bars`:
// `key`, `label` and `above` (texts below and above it, or empty), `told` in words, the `share`, 0 if it is empty.
// `picked` is a key or null. `ghost`, null or {name, shares}, is the histogram of the experiment before this one,
// drawn as an outline.
// A bar is a button: click or Enter picks, the arrow keys, Home and End move. The bars stay while their data change.
// For a finger, two buttons named by `steps` pick the next bar on either side; between them is told what is picked.
function drawHistogram(host, histogram, pick) {
  const height = 252;
  const base = height - 36;
  const ceiling = 36;
  const margin = 36;
  const drawing = host.bars?.width === host.clientWidth ? host.bars : build();
  update();

  function build() {
    const focus = hasFocus(host) ? host.bars?.list.findIndex(bar => bar.group.getAttribute('tabindex') === '0') : -1;
    const [svg, width] = sheet(host, height, histogram.label, 'group');
    const wide = (width - margin) / histogram.bars.length;
    const grid = draw(svg, 'g');
    rule(svg, 0, base, width - margin, base, 'axis');
    const list = histogram.bars.map((bar, i) => {
      const group = draw(svg, 'g', {role: 'button', tabindex: -1});
      draw(group, 'rect', {x: i * wide, y: 4, width: wide, height: height - 22, class: 'reach'});
      const column = draw(group, 'rect', {x: i * wide + 1, width: wide - 2});
      const title = draw(group, 'title');
      const sign = draw(group, 'path', {class: 'sign'});
      if (bar.label) write(group, (i + 0.5) * wide, base + 16, bar.label, 'quiet', 'middle');
      return {group, column, title, sign};
    });
    const above = draw(svg, 'g', {'aria-hidden': true});
    const ghost = draw(svg, 'g', {'aria-hidden': true});
    write(svg, (width - margin) / 2, height - 3, histogram.axis, 'quiet', 'middle');
    const steps = append(host, 'div', 'steps');
    const told = append(steps, 'span', 'quiet');
    histogram.steps.forEach((name, i) => {
      const button = append(steps, 'button', '', '‹›'[i]);
      button.setAttribute('aria-label', name);
      button.onclick = () => stepBy(i ? 1 : -1);
    });
    steps.insertBefore(steps.children[1], told);
    host.bars = {svg, width, wide, grid, list, above, ghost, told};
    list.forEach(({group}, i) => {
      group.onclick = () => choose(i);
      group.onkeydown = event => press(event, i);
    });
    if (focus >= 0) list[focus].group.focus();
    return host.bars;
  }

  function update() {
    const {svg, width, wide, grid, list, above, ghost, told} = drawing;
    drawing.histogram = histogram;
    drawing.pick = pick;
    svg.setAttribute('aria-label', histogram.label);
    grid.replaceChildren();
    for (const line of histogram.lines) {
      rule(grid, 0, level(line.share), width - margin, level(line.share), 'grid');
      write(grid, width, level(line.share) + 4, line.text, 'quiet', 'end');
    }
    histogram.bars.forEach((bar, i) => {
      const {group, column, title, sign} = list[i];
      const tall = bar.share ? Math.max(2, base - level(bar.share)) : 0;
      const picked = bar.key === histogram.picked;
      group.setAttribute('class', `bar${picked ? ' picked' : ''}${bar.share ? '' : ' empty'}`);
      group.setAttribute('aria-label', bar.told);
      group.setAttribute('aria-pressed', picked);
      group.setAttribute('aria-disabled', !bar.share);
      column.setAttribute('y', base - tall);
      column.setAttribute('height', tall);
      column.setAttribute('class', !bar.key ? 'fill-equal' : 'fill-differ');
      title.textContent = bar.told;
      sign.setAttribute('d', picked ? `M${(i + 0.5) * wide - 5},${base - tall - 10}h10l-5,7z` : '');
    });
    if (!list.some(({group}) => group.getAttribute('tabindex') === '0')) {
      const start = histogram.bars.findIndex(bar => bar.key === histogram.picked);
      list[start < 0 ? (list.length - 1) / 2 : start].group.setAttribute('tabindex', 0);
    }
    told.textContent = histogram.bars.find(bar => bar.key === histogram.picked)?.told ?? '';
    above.replaceChildren();
    histogram.bars.forEach((bar, i) => writeAbove(above, bar, i, wide));
    drawGhost(ghost, width, wide);
  }

  // The text above a bar is wider than the bar, so it clears the neighbours, too.
  function writeAbove(above, bar, i, wide) {
    if (!bar.above) return;
    const near = histogram.bars.slice(Math.max(i - 2, 0), i + 3);
    const room = near.some(other => other.key === histogram.picked) ? 14 : 5;
    const y = level(Math.max(...near.map(other => other.share))) - room;
    write(above, (i + 0.5) * wide, y, bar.above, 'quiet strong halo', 'middle', {'pointer-events': 'none'});
  }

  function drawGhost(ghost, width, wide) {
    ghost.replaceChildren();
    if (!histogram.ghost) return;
    const steps = histogram.ghost.shares.map((share, i) => `V${level(share)}H${(i + 1) * wide}`);
    draw(ghost, 'path', {d: `M0,${base}${steps.join('')}V${base}`, class: 'ghost'});
    draw(ghost, 'path', {d: 'M1,10h18', class: 'ghost'});
    write(ghost, 25, 14, histogram.ghost.name, 'quiet halo');
  }

  function level(share) {
    return base - ((base - ceiling) * share) / histogram.top;
  }

  function choose(i) {
    const bar = drawing.histogram.bars[i];
    moveTo(i);
    if (bar.share) drawing.pick(bar.key);
  }

  function stepBy(one) {
    const {bars, picked} = drawing.histogram;
    let place = bars.findIndex(bar => bar.key === picked);
    do place += one;
    while (bars[place] && !bars[place].share);
    if (bars[place]) drawing.pick(bars[place].key);
  }

  function press(event, i) {
    const goal = stepped(event, i, drawing.list.length - 1);
    if (goal !== null) moveTo(goal);
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    choose(i);
  }

  function moveTo(i) {
    for (const {group} of drawing.list) group.setAttribute('tabindex', -1);
    drawing.list[i].group.setAttribute('tabindex', 0);
    drawing.list[i].group.focus();
  }
}
