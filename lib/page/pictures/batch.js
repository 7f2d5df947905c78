// Why does the batch change it? The same sum in two orders, side by side; below, the float line on which both walks end,
// and the share of components that change, by batch size. *Play* adds in both orders at once. data: {example, stairs},
// that of lib/batch/opening. Sends `pick`, a batch size.
const FRAME = `
  <section class="tree-of-first"><h2></h2><div class="host tree"></div></section>
  <section class="tree-of-second"><h2></h2><div class="host tree"></div></section>
  <p class="quiet about" aria-hidden="true"></p>
  <section><div class="row"><h2 class="title"></h2><div class="clock frame"><button></button><input type="range" min="0"
    step="1" aria-label="Operation by operation"></div></div><div class="host line"></div></section>
  <section><div class="row"><h2 class="of-stairs"></h2><p class="quiet hint"></p></div><div class="host stairs"></div></section>`;
const [LONGEST, MORPH] = [6000, 500]; // milliseconds: of a whole addition, and from one tree to another

DRAW.batch = (root, data, act) => {
  const part = parts(root, FRAME);
  root.data = data;
  const clock = root.clock ??= {at: Infinity, share: 1, lit: null, playing: false};
  part('.clock button').onclick = () => (clock.playing ? stop() : play());
  part('input').oninput = () => {
    clock.playing = false;
    cancelAnimationFrame(clock.frame);
    clock.at = Number(part('input').value);
    drawExample(Math.ceil(clock.at) - 1);
  };
  part('input').onblur = () => clock.playing || drawExample(null);
  keepDrawn(root, () => {
    const {example, stairs} = root.data;
    if (example && changed(root, 'example', example)) take(example);
    part('.clock').hidden = !root.example?.line;
    part('.of-stairs').textContent = stairs.title;
    part('.hint').textContent = stairs.hint;
    if (changed(root, 'stairs', stairs)) drawStairs(part('.stairs'), stairs, size => act('pick', size));
  });

  // Another example is drawn; the same one in another order is what the former order becomes.
  function take(example) {
    const before = root.example?.name === example.name ? root.standing : null;
    const after = example.sides.map(({tree}) => tree && standing(tree));
    const morphs = before && after[1] && JSON.stringify(before) !== JSON.stringify(after);
    Object.assign(clock, {playing: false, at: lastOf(example)});
    root.example = example;
    glide(clock, morphs ? MORPH : 0, share => {
      root.standing = after.map((nodes, i) => (morphs ? between(before[i], nodes, share) : nodes));
      drawExample(null);
    });
  }

  function lastOf({line}) {
    return line ? Math.max(...line.ways.map(way => way.steps.length)) : 0;
  }

  function play() {
    const [example, last] = [root.example, lastOf(root.example)];
    const start = STILL.matches || clock.at >= last ? 0 : Math.floor(clock.at);
    clock.playing = true;
    glide(clock, Math.min(600, LONGEST / last) * (last - start), share => {
      clock.at = start + (last - start) * share;
      if (root.example === example) drawExample(share < 1 ? Math.ceil(clock.at) - 1 : null);
    }, stop, share => share);
  }

  function stop() {
    cancelAnimationFrame(clock.frame);
    clock.playing = false;
    clock.at = Math.ceil(clock.at);
    drawExample(null);
  }

  function drawExample(lit) {
    const {sides, line, title, reason, about} = root.example;
    const last = lastOf(root.example);
    const unit = line && part('.line').clientWidth / (line.high - line.low);
    const steps = Math.min(clock.at, last);
    sides.forEach((side, i) => {
      const of = name => part(`.tree-of-${side.kind} ${name}`);
      of('h2').textContent = `${'●■'[i]} ${side.heading}`;
      of('h2').className = `text-${side.kind}`;
      const look = {kind: side.kind, unit, steps: line ? Math.floor(steps) : Infinity, lit};
      if (side.tree) point(of('.tree'), sumTree(of('.tree'), side.tree, root.standing[i], look, side.label), side.tree);
      else of('.tree').replaceChildren();
    });
    root.classList.toggle('without', !sides[0].tree);
    const told = lit === null || !line ? '' : line.ways.map(({steps}, i) => steps[lit] && `${'●■'[i]} ${steps[lit].told}`).filter(Boolean).join('; ');
    part('.about').textContent = told || about || reason;
    part('.title').textContent = title;
    if (!line) return part('.line').replaceChildren();
    drawWalks(part('.line'), line, {unit, steps, lit});
    part('.clock button').textContent = clock.playing ? '❚❚ Stop' : '▶ Add';
    const input = part('input');
    input.max = last;
    input.value = Math.ceil(steps);
    input.setAttribute('aria-valuetext', told || line.said);
  }

  // The pointer lights the nearest join: its bar in the tree and on the line.
  function point(host, svg, tree) {
    host.onpointermove = host.onpointerdown = event => {
      if (clock.playing || !tree.steps.length) return;
      const box = host.getBoundingClientRect();
      const away = step => {
        const node = tree.nodes[step.node];
        return node ? Math.hypot(node.x * box.width - (event.clientX - box.left), 122 - 100 * node.y - (event.clientY - box.top)) : 1e9;
      };
      const found = tree.steps.reduce((best, step, i) => (away(step) < away(tree.steps[best]) ? i : best), 0);
      if (found !== clock.lit) drawExample(clock.lit = found);
    };
    host.onpointerleave = () => {
      clock.lit = null;
      if (!clock.playing) drawExample(null);
    };
  }
};
