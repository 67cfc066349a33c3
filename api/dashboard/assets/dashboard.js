// Small helps that pages work without: copying a secret, and a question before what cannot be undone.
const copy = async (button) => {
  const source = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(source);
    button.textContent = 'Marked: press Ctrl+C';
  }
};

document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-copy]');
  if (button) void copy(button);
});

document.addEventListener('submit', (event) => {
  const question = event.target.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
});

// The feed keeps a bounded number of rows, however long the page is open.
const ROWS_MAX = 100;
document.addEventListener('htmx:afterSwap', (event) => {
  const list = event.target;
  if (list.id !== 'feed' && list.id !== 'live-alerts' && list.id !== 'alert-list') return;
  while (list.children.length > ROWS_MAX) list.lastElementChild.remove();
});
