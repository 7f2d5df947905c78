// The share of components that change, by batch size: a step for each size and quantity, the first curve solid, the
// second dashed. `stairs` is the data of lib/batch/opening. A size is a button: click or Enter picks, the arrow keys,
// Home and End move.
function drawStairs(host, stairs, pick) {
  const height = 176;
  const base = height - 38;
  const ceiling = 12;
  const [left, right] = [34, 74];
  const sizes = [...host.querySelectorAll('.size')];
  const focus = hasFocus(host) ? sizes.findIndex(size => size.getAttribute('tabindex') === '0') : -1;
  const [svg, width] = sheet(host, height, stairs.label, 'group');
  const wide = (width - left - right) / stairs.sizes.length;
  const level = share => base - ((base - ceiling) * share) / stairs.top;
  const steps = shares => shares.map((share, i) => `${i ? 'L' : 'M'}${left + i * wide},${level(share)}h${wide}`).join('');
  for (const line of stairs.lines) {
    rule(svg, left, level(line.share), width - right, level(line.share), 'grid');
    write(svg, left - 6, level(line.share) + 4, line.text, 'quiet', 'end');
  }
  rule(svg, left, base, width - right, base, 'axis');
  const buttons = stairs.sizes.map(drawSize);
  const drawing = draw(svg, 'g', {'aria-hidden': true, class: 'passive'});
  for (const shares of stairs.ghost?.shares ?? []) draw(drawing, 'path', {d: steps(shares), class: 'former'});
  if (stairs.ghost) write(drawing, left + 4, ceiling + 2, stairs.ghost.name, 'quiet halo');
  const measured = stairs.curves.filter(curve => curve.shares.length);
  const ends = measured.map(({name, shares}, i) => {
    const look = `stair${i ? ' second-stair' : ''}`;
    draw(drawing, 'path', {d: steps(shares), class: look});
    return {y: level(shares.at(-1)) + 4, name, look};
  });
  for (const {free, name, look} of spread(ends, 17, ceiling + 8, base)) {
    draw(drawing, 'path', {d: `M${width - right + 4},${free - 4}h12`, class: look});
    write(drawing, width - right + 20, free, name, 'strong text-differ');
  }
  write(svg, left + (width - left - right) / 2, height - 3, 'batch size', 'quiet', 'middle');
  if (focus >= 0) moveTo(focus);

  function drawSize({size, told}, i) {
    const picked = size === stairs.picked;
    const state = {'aria-label': told, 'aria-pressed': picked, tabindex: picked ? 0 : -1};
    const group = draw(svg, 'g', {role: 'button', class: `size${picked ? ' picked' : ''}`, ...state});
    draw(group, 'rect', {x: left + i * wide, y: 2, width: wide, height: height - 18, class: 'column'});
    draw(group, 'title', {}, told);
    write(group, left + (i + 0.5) * wide, base + 17, size, 'value', 'middle');
    group.onclick = () => {
      moveTo(i);
      pick(size);
    };
    group.onkeydown = event => {
      const to = stepped(event, i, buttons.length - 1);
      if (to !== null) moveTo(to);
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      pick(size);
    };
    return group;
  }

  function moveTo(i) {
    buttons.forEach((button, k) => button.setAttribute('tabindex', k === i ? 0 : -1));
    buttons[i].focus();
  }
}
