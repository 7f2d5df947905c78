// The share of components that change, by batch size: a step for each size and quantity, the first curve solid, the
// second dashed. `stairs` is the data of lib/batch/stairs. A size is a button: click or Enter picks, the arrow keys,
// Home and End move. The buttons stay while their data change.
function drawStairs(host, stairs, pick) {
  const height = 176;
  const base = height - 38;
  const ceiling = 12;
  const [left, right] = [34, 74];
  const drawing = host.stairs?.width === host.clientWidth ? host.stairs : build();
  drawing.stairs = stairs;
  drawing.pick = pick;
  update();

  function build() {
    const focus = hasFocus(host) ? host.stairs?.list.findIndex(one => one.getAttribute('tabindex') === '0') : -1;
    const [svg, width] = sheet(host, height, stairs.label, 'group');
    const wide = (width - left - right) / stairs.sizes.length;
    const grid = draw(svg, 'g');
    rule(svg, left, base, width - right, base, 'axis');
    const list = stairs.sizes.map(({size}, i) => {
      const group = draw(svg, 'g', {role: 'button', tabindex: -1});
      draw(group, 'rect', {x: left + i * wide, y: 2, width: wide, height: height - 18, class: 'column'});
      draw(group, 'title');
      write(group, left + (i + 0.5) * wide, base + 17, size, 'value', 'middle');
      return group;
    });
    const ghost = draw(svg, 'g', {'aria-hidden': true, class: 'passive'});
    const curves = draw(svg, 'g', {'aria-hidden': true, class: 'passive'});
    write(svg, left + (width - left - right) / 2, height - 3, 'batch size', 'quiet', 'middle');
    host.stairs = {svg, width, wide, grid, list, ghost, curves};
    list.forEach((group, i) => {
      group.onclick = () => choose(i);
      group.onkeydown = event => press(event, i);
    });
    if (focus >= 0) list[focus].focus();
    return host.stairs;
  }

  function update() {
    const {svg, width, grid, list, ghost, curves} = drawing;
    svg.setAttribute('aria-label', stairs.label);
    grid.replaceChildren();
    for (const line of stairs.lines) {
      rule(grid, left, level(line.share), width - right, level(line.share), 'grid');
      write(grid, left - 6, level(line.share) + 4, line.text, 'quiet', 'end');
    }
    stairs.sizes.forEach(({size, told}, i) => {
      const picked = size === stairs.picked;
      list[i].setAttribute('class', `size${picked ? ' picked' : ''}`);
      list[i].setAttribute('aria-label', told);
      list[i].setAttribute('aria-pressed', picked);
      list[i].querySelector('title').textContent = told;
    });
    if (!list.some(group => group.getAttribute('tabindex') === '0')) {
      list[stairs.sizes.findIndex(({size}) => size === stairs.picked)].setAttribute('tabindex', 0);
    }
    curves.replaceChildren();
    const measured = stairs.curves.filter(curve => curve.shares.length);
    const ends = measured.map((curve, i) => {
      draw(curves, 'path', {d: steps(curve.shares), class: `stair${i ? ' second-stair' : ''}`});
      return {y: level(curve.shares.at(-1)) + 4, text: curve.name, dashed: i > 0};
    });
    for (const end of spread(ends, 17, ceiling + 8, base)) {
      const d = `M${width - right + 4},${end.free - 4}h12`;
      draw(curves, 'path', {d, class: `stair${end.dashed ? ' second-stair' : ''}`});
      write(curves, width - right + 20, end.free, end.text, 'strong text-differ');
    }
    ghost.replaceChildren();
    if (!stairs.ghost) return;
    for (const shares of stairs.ghost.shares) draw(ghost, 'path', {d: steps(shares), class: 'former'});
    write(ghost, left + 4, ceiling + 2, stairs.ghost.name, 'quiet halo');
  }

  function steps(shares) {
    const {wide} = drawing;
    return shares.map((share, i) => `${i ? 'L' : 'M'}${left + i * wide},${level(share)}h${wide}`).join('');
  }

  function level(share) {
    return base - ((base - ceiling) * share) / stairs.top;
  }

  function choose(i) {
    moveTo(i);
    drawing.pick(drawing.stairs.sizes[i].size);
  }

  function press(event, i) {
    const goal = stepped(event, i, drawing.list.length - 1);
    if (goal !== null) moveTo(goal);
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    choose(i);
  }

  function moveTo(i) {
    for (const group of drawing.list) group.setAttribute('tabindex', -1);
    drawing.list[i].setAttribute('tabindex', 0);
    drawing.list[i].focus();
  }
}
