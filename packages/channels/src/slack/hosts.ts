// Which urls may be asked with Slack's tokens: Slack's own, and the server that the operator named.

const domains = ['slack.com', 'slack-gov.com']

/** `named`: url of the Web API. */
export const isOfSlack = (url: string, named: URL): boolean => {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, origin, username, password } = new URL(url)
  if (username !== '' || password !== '') return false
  if (origin === named.origin) return true
  const isTheirs = domains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`))
  // A server of the operator's own sends nobody on to Slack.
  return protocol === 'https:' && isTheirs && domains.some((domain) => named.hostname === domain || named.hostname.endsWith(`.${domain}`))
}
