// Which paths need no token. What needs none holds no data; webhooks are proved by their own signature.

export const webhookPath = '/v1/webhooks'

const open: ReadonlySet<string> = new Set(['/', '/healthz', '/readyz', '/ui', webhookPath])

export const isOpenPath = (path: string): boolean => open.has(path) || path.startsWith('/ui/')
