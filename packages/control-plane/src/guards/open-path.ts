// Which paths need no token. What needs none holds no data; webhooks are proved by their own signature.

const open: ReadonlySet<string> = new Set(['/', '/healthz', '/readyz', '/ui', '/v1/webhooks'])

export const isOpenPath = (path: string): boolean => open.has(path) || path.startsWith('/ui/')
