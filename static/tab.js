// Scrolls the label of the open tab into view: on a phone, the row of labels is wider than the screen. Streamlit scrolls
// it on a switch, but not when a page is loaded.
export const draw = () => {
  document.querySelector('[role=tab][aria-selected=true]')?.scrollIntoView({block: 'nearest', inline: 'center'});
};
