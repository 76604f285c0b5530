// Which host variables a catalog entry may reference: never those that hold the unit's own secrets or steer a program.

const never = [
  /^SERVICE_/,
  /^NODE_/,
  /^LD_/,
  /^npm_/i,
  /^(PATH|HOME|SHELL|USER|LOGNAME|PWD|OLDPWD|TERM|LANG|SHLVL|IFS|BASH_ENV|ENV|_)$/,
  /^(ANTHROPIC|OPENAI|GEMINI|OPENROUTER|GROQ|MISTRAL)_API_KEY(_FILE)?$/,
  /^(SLACK_(BOT|APP)_TOKEN|TELEGRAM_BOT_TOKEN|(SLACK|TELEGRAM)_API_URL|EMAIL_(IMAP_URL|SMTP_URL|FROM)|WEBHOOK_SIGNING_SECRET)(_FILE)?$/,
]

const globToPattern = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  )

/** `globs` as in `SERVICE_MCP_ENV`, separated by commas; undefined allows every variable that is not the unit's own. */
export const referenceable = (env: Readonly<Record<string, string | undefined>>, globs: string | undefined): Record<string, string> => {
  const allowed = globs?.split(',').map((glob) => globToPattern(glob.trim()))
  const picked: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || never.some((pattern) => pattern.test(name))) continue
    if (allowed !== undefined && !allowed.some((pattern) => pattern.test(name))) continue
    picked[name] = value
  }
  return picked
}
