// Scrolls the open tab into view: on a phone, the row of tabs is wider than the screen.
export const draw = () => {
  document.querySelector('[role=tab][aria-selected=true]')?.scrollIntoView({block: 'nearest', inline: 'center'});
};
