// The service worker of notifications: it shows what a push says of an event, unless a page of ours is seen that shows it anyway, and
// leads there. It answers no request of a page, and controls none.
addEventListener("push", e => {
  const { title, link } = e.data.json();
  e.waitUntil(clients.matchAll({ type: "window", includeUncontrolled: true }).then(pages => {
    const shown = pages.some(p => p.visibilityState === "visible" && (new URL(p.url).pathname === link || new URL(p.url).pathname.startsWith("/t/")));
    return shown ? null : registration.showNotification(title, { tag: link, renotify: true, data: link });
  }));
});

addEventListener("notificationclick", e => {
  e.notification.close();
  const to = new URL(e.notification.data, location.origin);
  if (to.origin !== location.origin) return;
  e.waitUntil(clients.matchAll({ type: "window", includeUncontrolled: true }).then(pages => {
    const page = pages.find(p => new URL(p.url).pathname === to.pathname);
    return page ? page.focus() : clients.openWindow(to.href);
  }));
});
