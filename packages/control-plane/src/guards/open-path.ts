// Which paths need no token. What needs none holds no data.

const open: ReadonlySet<string> = new Set(['/', '/healthz', '/readyz', '/ui'])

export const isOpenPath = (path: string): boolean => open.has(path) || path.startsWith('/ui/')
