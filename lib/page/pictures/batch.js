// Why does the batch change it? The same sum in two orders, side by side; below, the float line on which both end, and
// the share of components that change, by batch size. data: {example, stairs}, that of lib/batch/opening. Sends `pick`,
// a batch size.
const FRAME = `
  <section class="tree-of-first"><h2 class="heading"></h2><p class="quiet note"></p><div class="host tree"></div></section>
  <section class="tree-of-second"><h2 class="heading"></h2><p class="quiet note"></p><div class="host tree"></div></section>
  <section><div class="row"><h2 class="title"></h2><p class="quiet said"></p></div><div class="host line"></div></section>
  <section><div class="row"><h2 class="of-stairs"></h2><p class="quiet hint"></p></div><div class="host stairs"></div></section>`;

DRAW.batch = (root, data, act) => {
  const part = parts(root, FRAME);
  keepDrawn(root, () => {
    const {example, stairs} = data;
    if (example && changed(root, 'example', example)) drawExample(example);
    part('.of-stairs').textContent = stairs.title;
    part('.hint').textContent = stairs.hint;
    if (changed(root, 'stairs', stairs)) drawStairs(part('.stairs'), stairs, size => act('pick', size));
  });

  function drawExample(example) {
    example.sides.forEach((side, i) => {
      const of = name => part(`.tree-of-${side.kind} ${name}`);
      of('.heading').textContent = `${'●■'[i]} ${side.heading}`;
      of('.heading').className = `heading text-${side.kind}`;
      const tell = text => {
        of('.note').textContent = text || side.note;
      };
      tell('');
      if (side.tree) sumTree(of('.tree'), side.tree, {kind: side.kind, label: side.label, tell});
      else sayWhy(of('.tree'), i ? '' : example.reason);
    });
    part('.title').textContent = example.title;
    part('.said').textContent = example.said;
    if (example.line) labelledLine(part('.line'), example.line, example.line.said);
    else part('.line').replaceChildren();
  }

  // In place of a tree; nothing is left of one that was there.
  function sayWhy(host, reason) {
    for (const name of ['tabindex', 'role', 'aria-label', 'aria-valuemin', 'aria-valuemax', 'aria-valuenow', 'aria-valuetext']) {
      host.removeAttribute(name);
    }
    host.onkeydown = host.onblur = null;
    host.replaceChildren();
    append(host, 'p', 'quiet reason', reason);
  }
};
