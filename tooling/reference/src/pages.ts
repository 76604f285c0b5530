// The generated pages of docs/reference, and the pictures of docs/assets, by their path from docs/reference.
import { help } from '../../../apps/supervisor/src/plan/help.ts'
import { page } from './page.ts'
import { api } from './pages/api.ts'
import { stagesPage } from './pages/audit-stages.ts'
import { cli } from './pages/cli.ts'
import { errors } from './pages/errors.ts'
import { kindsPage } from './pages/kinds.ts'
import { log } from './pages/log.ts'
import { limitsPage, metricsPage } from './pages/numbers.ts'
import { rolesPage } from './pages/roles.ts'
import { sockets } from './pages/sockets.ts'
import { drawArchitecture } from './pictures/architecture.ts'

export const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  '../assets/pictures/architecture-dark.svg': () => drawArchitecture('dark'),
  '../assets/pictures/architecture-light.svg': () => drawArchitecture('light'),
  'api.md': api,
  'audit-stages.md': stagesPage,
  'cli.md': cli,
  'configuration.md': () => page('Configuration', `\`\`\`text\n${help}\`\`\``),
  'errors.md': errors,
  'kinds.md': kindsPage,
  'limits.md': limitsPage,
  'log.md': log,
  'metrics.md': metricsPage,
  'roles.md': rolesPage,
  'sockets.md': sockets,
}
