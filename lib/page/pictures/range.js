// A range of bins on an error curve, with an end to drag on either side. `plot` comes from errorCurve; `state` with the
// `range` is kept from drawing to drawing. `moved` and `chosen` hear of changes.
function addRange({svg, across, top, base, left, right, bins, place}, curve, state, {moved, chosen}) {
  const outside = [0, 1].map(() => box(svg, 0, top - 6, 0, base - top + 6, 'outside'));
  const handles = ['Left end of the range', 'Right end of the range'].map(addHandle);
  show();

  function show() {
    const ends = state.range.map(edge => across(edge / bins));
    set(outside[0], {x: left, width: ends[0] - left});
    set(outside[1], {x: ends[1], width: right - ends[1]});
    handles.forEach((handle, i) => {
      const told = {'aria-valuenow': state.range[i], 'aria-valuetext': rangeSentence(curve, state.range)};
      set(handle, {transform: `translate(${ends[i]},0)`, ...told});
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
    const look = {tabindex: 0, role: 'slider', 'aria-label': label, 'aria-valuemin': 0, 'aria-valuemax': bins};
    const handle = draw(svg, 'g', {...look, class: 'handle', 'data-part': `end ${i}`});
    box(handle, -22, top - 34, 44, 44, 'reach');
    rule(handle, 0, top - 6, 0, base, 'grip');
    box(handle, -6, top - 26, 12, 28, 'knob', {rx: 6});
    handle.onpointerdown = event => {
      event.preventDefault();
      handle.focus();
      handle.setPointerCapture(event.pointerId);
      handle.onpointermove = dragged => move(i, place(dragged.clientX) * bins);
    };
    handle.onpointerup = handle.onpointercancel = () => {
      if (handle.onpointermove) chosen();
      handle.onpointermove = null;
    };
    handle.onkeydown = event => {
      const to = stepped(event, state.range[i], bins, STEPS);
      if (to === null) return;
      move(i, to);
      chosen();
    };
    return handle;
  }
}

const STEPS = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 8, PageDown: -8};
