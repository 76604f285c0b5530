// The table of flags and variables of the daemon, and warnings for settings that have no effect.
import { containerEngines, exits, pinnings } from '@gatehouse/contracts'
import { Refusal, type Settings, type SettingsTable } from '@gatehouse/kernel'
import type { Plan } from './plan.ts'

export const table = {
  addr: { type: 'string', flag: 'addr', env: 'SERVICE_API_ADDR', default: '127.0.0.1:8787' },
  only: { type: 'choice', flag: 'only', env: 'SERVICE_ONLY', choices: ['control', 'runner'] },
  userNamespace: { type: 'string', env: 'SERVICE_USER_NAMESPACE' },
  runDir: { type: 'string', env: 'SERVICE_RUN_DIR' },
  stateDir: { type: 'string', flag: 'state-dir', env: 'SERVICE_STATE_DIR' },
  dev: { type: 'boolean', flag: 'dev', env: 'SERVICE_DEV' },
  demo: { type: 'boolean', flag: 'demo', env: 'SERVICE_DEMO' },
  mcpCatalog: { type: 'string', flag: 'mcp-catalog', env: 'SERVICE_MCP_CATALOG' },
  mcpIsolation: { type: 'choice', flag: 'mcp-isolation', env: 'SERVICE_MCP_ISOLATION', choices: ['container', 'none'] },
  mcpEngine: { type: 'choice', flag: 'mcp-engine', env: 'SERVICE_MCP_ENGINE', choices: containerEngines },
  mcpRuntime: { type: 'string', flag: 'mcp-runtime', env: 'SERVICE_MCP_RUNTIME' },
  mcpImage: { type: 'string', flag: 'mcp-image', env: 'SERVICE_MCP_IMAGE' },
  mcpPinning: { type: 'choice', flag: 'mcp-pinning', env: 'SERVICE_MCP_PINNING', choices: pinnings, default: 'refuse' },
  mcpEnv: { type: 'string', env: 'SERVICE_MCP_ENV' },
  sandbox: { type: 'choice', flag: 'sandbox', env: 'SERVICE_SANDBOX', choices: ['auto', 'oci', 'container', 'bubblewrap', 'none', 'off'] },
  sandboxEngine: { type: 'choice', flag: 'sandbox-engine', env: 'SERVICE_SANDBOX_ENGINE', choices: containerEngines },
  sandboxRuntime: { type: 'string', flag: 'sandbox-runtime', env: 'SERVICE_SANDBOX_RUNTIME' },
  sandboxImage: { type: 'string', env: 'SERVICE_SANDBOX_IMAGE' },
  imageKey: { type: 'string', env: 'SERVICE_IMAGE_KEY' },
  allowOldEngine: { type: 'boolean', flag: 'allow-old-engine', env: 'SERVICE_ALLOW_OLD_ENGINE' },
  groupDisks: { type: 'string', flag: 'group-disks', env: 'SERVICE_GROUP_DISKS' },
  approvals: { type: 'choice', flag: 'approvals', env: 'SERVICE_APPROVALS', choices: ['1', '2'], default: '1' },
  changeTtl: { type: 'string', flag: 'change-ttl', env: 'SERVICE_CHANGE_TTL', default: '7d' },
  rateLimit: { type: 'string', flag: 'rate-limit', env: 'SERVICE_RATE_LIMIT', default: '50:100' },
  callsRetention: { type: 'string', flag: 'calls-retention', env: 'SERVICE_CALLS_RETENTION', default: '30d' },
  chatRetention: { type: 'string', flag: 'chat-retention', env: 'SERVICE_CHAT_RETENTION', default: '90d' },
  logLevel: { type: 'choice', flag: 'log-level', env: 'SERVICE_LOG_LEVEL', choices: ['error', 'warn', 'info', 'debug'], default: 'info' },
  logFormat: { type: 'choice', env: 'SERVICE_LOG_FORMAT', choices: ['json', 'plain'], default: 'plain' },
  publicUrl: { type: 'string', env: 'SERVICE_PUBLIC_URL' },
  trustedProxies: { type: 'string', env: 'SERVICE_TRUSTED_PROXIES' },
  httpsProxy: { type: 'string', env: 'SERVICE_HTTPS_PROXY', secret: true },
  noProxy: { type: 'string', env: 'SERVICE_NO_PROXY' },
  caFile: { type: 'string', env: 'SERVICE_CA_FILE' },
  anthropicKey: { type: 'string', env: 'ANTHROPIC_API_KEY', secret: true },
  openaiKey: { type: 'string', env: 'OPENAI_API_KEY', secret: true },
  geminiKey: { type: 'string', env: 'GEMINI_API_KEY', secret: true },
  openrouterKey: { type: 'string', env: 'OPENROUTER_API_KEY', secret: true },
  groqKey: { type: 'string', env: 'GROQ_API_KEY', secret: true },
  mistralKey: { type: 'string', env: 'MISTRAL_API_KEY', secret: true },
  modelBaseUrl: { type: 'string', env: 'SERVICE_MODEL_BASE_URL' },
  modelKey: { type: 'string', env: 'SERVICE_MODEL_API_KEY', secret: true },
  webhookSecret: { type: 'string', env: 'WEBHOOK_SIGNING_SECRET', secret: true },
  slackBotToken: { type: 'string', env: 'SLACK_BOT_TOKEN', secret: true },
  slackAppToken: { type: 'string', env: 'SLACK_APP_TOKEN', secret: true },
  slackUrl: { type: 'string', env: 'SLACK_API_URL' },
  telegramToken: { type: 'string', env: 'TELEGRAM_BOT_TOKEN', secret: true },
  telegramUrl: { type: 'string', env: 'TELEGRAM_API_URL' },
  imapUrl: { type: 'string', env: 'EMAIL_IMAP_URL', secret: true },
  smtpUrl: { type: 'string', env: 'EMAIL_SMTP_URL', secret: true },
  emailFrom: { type: 'string', env: 'EMAIL_FROM' },
  npmRegistry: { type: 'string', env: 'SERVICE_NPM_REGISTRY' },
  mountAllow: { type: 'string', env: 'SERVICE_MOUNT_ALLOW' },
  envFile: { type: 'string', env: 'SERVICE_ENV_FILE' },
  apiToken: { type: 'string', env: 'SERVICE_API_TOKEN', secret: true },
  masterKeyFile: { type: 'string', env: 'SERVICE_MASTER_KEY_FILE' },
} as const satisfies SettingsTable

/** For clients of the unit; the daemon leaves them alone. */
export const clientVariables = ['SERVICE_API_URL']

/** Settings that change nothing in this unit, since what they are about is off. A flag was meant for this start, so it is refused; a
 * variable may be shared by several units, so it is a warning. */
type Name = keyof typeof table
type Origins = Settings<typeof table>['origins']

interface Rule {
  readonly names: readonly Name[]
  readonly isOff: (plan: Plan) => boolean
  readonly why: string
  /** What turns it on. */
  readonly fix: string
}

const rules: readonly Rule[] = [
  {
    names: ['mcpIsolation', 'mcpEngine', 'mcpRuntime', 'mcpImage', 'mcpPinning', 'mcpEnv'],
    isOff: ({ catalog }) => catalog === null,
    why: 'this unit has no tool servers',
    fix: 'add --mcp-catalog FILE',
  },
  {
    names: ['mcpEngine', 'mcpRuntime', 'mcpImage'],
    isOff: ({ catalog, isolation }) => catalog !== null && isolation === 'none',
    why: 'local tool servers run without containers',
    fix: 'add --mcp-isolation container',
  },
  {
    names: ['sandboxEngine'],
    isOff: ({ sandbox }) => sandbox !== 'auto' && sandbox !== 'container',
    why: 'sandboxes are not run by a container engine',
    fix: 'add --sandbox container',
  },
]

/** Returns warnings for variables. `Refusal` 78 for flags. The halves of a split unit share their flags, and each uses some. */
export const checkEffect = (plan: Plan, origins: Origins): string[] => {
  if (plan.split !== null) return []
  const idle = rules
    .filter(({ isOff }) => isOff(plan))
    .flatMap(({ names, ...rule }) => names.map((name) => ({ ...table[name], ...rule, name })))
  for (const row of idle) {
    if (!('flag' in row) || origins[row.name] !== 'flag') continue
    throw new Refusal(exits.configuration, {
      detail: `--${row.flag} has no effect: ${row.why}`,
      hint: `${row.fix}, or leave out --${row.flag}`,
    })
  }
  return idle
    .filter(({ name }) => origins[name] === 'env')
    .map(({ env, why, fix }) => `${env} has no effect: ${why}; ${fix}, or unset ${env}`)
}
