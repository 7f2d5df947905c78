// A range of bins on an error curve, with an end to drag on either side, and a bin under the pointer or the keyboard's
// cursor that can be picked. `plot` comes from errorCurve; `state` with the `range` is kept from drawing to drawing.
// `says(range)` and `saysOf(bin)` put in words what is there; `moved`, `chosen`, `at` and `picked` hear of changes.
function rangeOf(plot, edges, state, {says, saysOf, moved, chosen, at, picked}) {
  const {svg, across, top, base, left, right, bins} = plot;
  const outside = [0, 1].map(() => draw(svg, 'rect', {y: top - 6, height: base - top + 6, class: 'outside'}));
  const cursor = addCursor();
  const handles = ['Left end of the range', 'Right end of the range'].map(addHandle);
  show();

  function show() {
    const [low, high] = state.range;
    const spans = [[left, across(low / bins)], [across(high / bins), right]];
    outside.forEach((rect, i) => {
      rect.setAttribute('x', spans[i][0]);
      rect.setAttribute('width', spans[i][1] - spans[i][0]);
    });
    handles.forEach((handle, i) => {
      handle.setAttribute('transform', `translate(${across(state.range[i] / bins)},0)`);
      handle.setAttribute('aria-valuenow', state.range[i]);
      handle.setAttribute('aria-valuetext', `${edges[state.range[i]]}. ${says(state.range)}`);
    });
    moved();
  }

  function move(i, edge) {
    const [low, high] = state.range;
    const to = Math.round(i ? Math.max(low + 1, Math.min(bins, edge)) : Math.max(0, Math.min(high - 1, edge)));
    if (to === state.range[i]) return;
    state.range = i ? [low, to] : [to, high];
    show();
  }

  function addHandle(label, i) {
    const handle = draw(svg, 'g', {...slider(label, 0, bins), class: 'handle', 'data-part': `end ${i}`});
    const reach = {x: -22, y: top - 26, width: 44, height: base - top + 32};
    draw(handle, 'rect', {...reach, class: 'reach'});
    rule(handle, 0, top - 6, 0, base, 'grip');
    draw(handle, 'rect', {x: -6, y: top - 26, width: 12, height: 28, rx: 6, class: 'knob'});
    handle.onpointerdown = event => {
      event.preventDefault();
      handle.focus();
      handle.setPointerCapture(event.pointerId);
      state.dragging = true;
      handle.onpointermove = dragged => move(i, plot.place(dragged.clientX) * bins);
    };
    handle.onpointerup = handle.onpointercancel = () => {
      if (!state.dragging) return;
      handle.onpointermove = null;
      state.dragging = false;
      chosen();
    };
    handle.onkeydown = event => {
      const to = stepped(event, state.range[i], bins, STEPS);
      if (to === null) return;
      move(i, to);
      chosen();
    };
    return handle;
  }

  // The whole plot is one slider: its value is the bin looked at.
  function addCursor() {
    const label = 'x, bin by bin. Enter shows the worst x of a bin on the float line';
    const group = draw(svg, 'g', {...slider(label, 1, bins), class: 'cursor', 'data-part': 'cursor'});
    const tall = {y: top - 6, height: base - top + 6};
    const column = draw(group, 'rect', {...tall, width: (right - left) / bins, class: 'column'});
    draw(group, 'rect', {...tall, x: left, width: right - left, class: 'reach'});
    const look = bin => {
      state.bin = Math.max(0, Math.min(bins - 1, bin));
      column.setAttribute('x', across(state.bin / bins));
      group.setAttribute('aria-valuenow', state.bin + 1);
      group.setAttribute('aria-valuetext', saysOf(state.bin));
      at(state.bin);
    };
    look(state.bin ?? Math.floor(bins / 2));
    at(null);
    group.onpointermove = event => look(Math.floor(plot.place(event.clientX) * bins));
    group.onpointerleave = () => hasFocus(group) || at(null);
    group.onfocus = () => at(state.bin);
    group.onblur = () => at(null);
    group.onclick = event => {
      look(Math.floor(plot.place(event.clientX) * bins));
      picked(state.bin);
    };
    group.onkeydown = event => {
      const to = stepped(event, state.bin, bins - 1, STEPS);
      if (to !== null) look(to);
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        picked(state.bin);
      }
    };
    return group;
  }

  function slider(label, low, high) {
    return {tabindex: 0, role: 'slider', 'aria-label': label, 'aria-valuemin': low, 'aria-valuemax': high};
  }
}

const STEPS = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 8, PageDown: -8};
