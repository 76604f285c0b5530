// Every flag and variable of the daemon that has a meaning, and those whose time has not come, which are refused.
import { containerEngines, exits, pinnings } from '@gatehouse/contracts'
import { Refusal, type SettingsTable } from '@gatehouse/kernel'

export const table = {
  addr: { type: 'string', flag: 'addr', env: 'SERVICE_API_ADDR', default: '127.0.0.1:8787' },
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
  sandboxRuntime: { type: 'string', flag: 'sandbox-runtime', env: 'SERVICE_SANDBOX_RUNTIME' },
  sandboxImage: { type: 'string', env: 'SERVICE_SANDBOX_IMAGE' },
  imageKey: { type: 'string', env: 'SERVICE_IMAGE_KEY' },
  allowOldEngine: { type: 'boolean', flag: 'allow-old-engine', env: 'SERVICE_ALLOW_OLD_ENGINE' },
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
  telegramToken: { type: 'string', env: 'TELEGRAM_BOT_TOKEN', secret: true },
  telegramUrl: { type: 'string', env: 'TELEGRAM_API_URL' },
  imapUrl: { type: 'string', env: 'EMAIL_IMAP_URL', secret: true },
  smtpUrl: { type: 'string', env: 'EMAIL_SMTP_URL', secret: true },
  emailFrom: { type: 'string', env: 'EMAIL_FROM' },
  npmRegistry: { type: 'string', env: 'SERVICE_NPM_REGISTRY' },
  mountAllow: { type: 'string', env: 'SERVICE_MOUNT_ALLOW' },
  apiToken: { type: 'string', env: 'SERVICE_API_TOKEN', secret: true },
  masterKeyFile: { type: 'string', env: 'SERVICE_MASTER_KEY_FILE' },
} as const satisfies SettingsTable

/** For clients of the unit; the daemon leaves them alone. */
export const clientVariables = ['SERVICE_API_URL']

const later: Readonly<Record<string, string>> = {
  only: 'a unit is not split in this version',
}

const refuse = (name: string, why: string): never => {
  throw new Refusal(exits.configuration, {
    detail: `${name}: expected a setting that has an effect, but ${why}`,
    hint: `start without ${name}`,
  })
}

/** A setting is never ignored: what has no effect yet ends the start. */
export const refuseWhatComesLater = (argv: readonly string[], env: Readonly<Record<string, string | undefined>>): void => {
  for (const [flag, why] of Object.entries(later)) {
    const variable = `SERVICE_${flag.toUpperCase().replaceAll('-', '_')}`
    if (argv.some((argument) => argument === `--${flag}` || argument.startsWith(`--${flag}=`))) refuse(`--${flag}`, why)
    if (env[variable] !== undefined) refuse(variable, why)
  }
}
