// The small programs of the control-plane image that are no bundle: how its two commands start, and its health.

const start = (flags: string, bundle: string): string => `#!/bin/node${flags === '' ? '' : ` ${flags}`}\nimport('${bundle}')\n`

/** Ends with 0 where `/readyz` answers 200. The address is the daemon's own. */
const healthy = `#!/bin/node
const [, host = '', port = '8787'] = /^(.*):([0-9]+)$/.exec(process.env.SERVICE_API_ADDR || '127.0.0.1:8787') ?? []
const bare = host.replace(/^\\[|\\]$/g, '')
const to = bare === '' || bare === '0.0.0.0' || bare === '::' ? '127.0.0.1' : bare
const end = (ok) => process.exit(ok ? 0 : 1)
require('node:http')
  .get({ host: to, port, path: '/readyz', timeout: 4000 }, (answer) => end(answer.statusCode === 200))
  .on('timeout', () => end(false))
  .on('error', () => end(false))
`

export const programs = {
  gatehouse: start('--disable-sigusr1', '/app/gatehouse.mjs'),
  svcctl: start('', '/app/svcctl/svcctl.mjs'),
  healthy,
} as const
