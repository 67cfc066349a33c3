// Optional helpers: copying a secret, and confirming what cannot be undone. Pages work without them.
const copy = async (button) => {
  const source = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = button.dataset.copied ?? '✓';
  } catch {
    getSelection().selectAllChildren(source);
    button.textContent = button.dataset.marked ?? 'Ctrl+C';
  }
};

const copyLink = async (button) => {
  const { origin, pathname } = location;
  try {
    if (matchMedia('(pointer: coarse)').matches && navigator.share) {
      await navigator.share({ title: document.title, url: origin + pathname });
      return;
    }
    await navigator.clipboard.writeText(origin + pathname);
    button.textContent = '✓';
  } catch {
    // A user who declined sharing, or whose browser forbids clipboard access, can still copy the address bar.
  }
};

document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-copy]');
  if (button) void copy(button);
  const link = event.target.closest('[data-copy-link]');
  if (link) void copyLink(link);
});

document.addEventListener('submit', (event) => {
  const question = event.target.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
});

// On a narrow screen the menu is one line: it is scrolled to the open page.
const here = document.querySelector('.side [aria-current]');
if (here) {
  const menu = here.closest('.side');
  const fromLeft = here.getBoundingClientRect().left - menu.getBoundingClientRect().left;
  menu.scrollLeft += fromLeft - (menu.clientWidth - here.offsetWidth) / 2;
}

// Events during a lost connection are not sent later; a page that missed some says so.
const showFeedState = (state) => {
  for (const line of document.querySelectorAll('#feed-state [data-state]')) {
    line.hidden = line.dataset.state !== state;
  }
};
let wasLost = false;
document.addEventListener('htmx:sseError', () => {
  wasLost = true;
  showFeedState('lost');
});
document.addEventListener('htmx:sseOpen', () => {
  if (wasLost) showFeedState('back');
});

// The feed keeps a bounded number of rows, however long the page is open.
const ROWS_MAX = 100;
document.addEventListener('htmx:afterSwap', (event) => {
  const list = event.target;
  if (list.id !== 'feed' && list.id !== 'live-alerts' && list.id !== 'alert-list') return;
  while (list.children.length > ROWS_MAX) list.lastElementChild.remove();
});
