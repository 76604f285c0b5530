// Bad values, and what must be said of each.
const secrets = [
  'OPENAI_API_KEY',
  'SERVICE_MODEL_API_KEY',
  'SERVICE_HTTPS_PROXY',
  'EMAIL_IMAP_URL',
  'EMAIL_SMTP_URL',
  'SLACK_APP_TOKEN',
  'SLACK_BOT_TOKEN',
  'TELEGRAM_BOT_TOKEN',
  'WEBHOOK_SIGNING_SECRET',
]

/** Faults of one group are told together. */
export const refusals: readonly (readonly (readonly [what: string, setting: string, says: RegExp])[])[] = [
  [['a name that would be cut', `fullnameOverride=${'a'.repeat(51)}`, /fullnameOverride.*(length|maxLength)/i]],
  [
    ['a tag for a digest', 'image.digest=latest', /image.digest.*does not match pattern.*sha256/i],
    ['a tag in the name', 'image.repository=registry.example.com/gatehouse:v1', /image.repository.*does not match pattern/i],
    ['a setting that there is not', 'replicas=2', /additional propert(y|ies) '?replicas'?.*not allowed/i],
    ['a Service to the outside', 'service.type=LoadBalancer', /additional propert(y|ies) '?type'?.*not allowed/i],
    ['a port of root', 'service.port=80', /service.port.*(greater than or equal to 1024|want 1,024)/i],
    ['a size without unit', 'persistence.size=1GB', /persistence.size.*does not match pattern/i],
    ['a volume for many nodes', 'persistence.accessModes={ReadWriteMany}', /persistence.accessModes.0.*must be one of/i],
    ['three approvers', 'approvals=3', /approvals.*must be one of.*1, 2/i],
    ['a word for a truth', 'ingress.enabled=maybe', /ingress.enabled.*boolean/i],
    ['no name of a Secret', 'secretEnvironment[0]=', /secretEnvironment.0.*does not match pattern/i],
    ['no name of credentials', 'image.pullSecrets[0]=', /image.pullSecrets.0.*does not match pattern/i],
    ['an empty part of a name', 'token.existingSecret=a..b', /token.existingSecret.*does not match pattern/i],
    ['a number for a name', 'masterKey.existingSecret=123', /masterKey.existingSecret.*string/i],
    ['no class of volumes', 'persistence.storageClassName=Fast_Class', /persistence.storageClassName.*does not match pattern/i],
    ['a dot in the name of a Service', 'fullnameOverride=gate.example', /fullnameOverride.*does not match pattern/i],
    ['a digit at the beginning of one', 'nameOverride=7gates', /nameOverride.*does not match pattern/i],
    ['an address for a network', 'trustedProxies={10.0.0.1}', /trustedProxies.0.*does not match pattern/i],
  ],
  [
    ['no digest', 'image.digest=', /image\.digest: expected sha256: and 64 hex digits, got nothing; build an image/],
    ['no repository', 'image.repository=', /image\.repository: expected the name of an image/],
    ['no token', 'token.existingSecret=', /token\.existingSecret: expected the name of a Secret .* got nothing; kubectl create secret/],
    ['an ingress without a name', 'ingress.enabled=true', /ingress\.hosts: expected at least one host name, got none/],
    [
      'a scrape without token',
      'metrics.serviceMonitor.enabled=true',
      /metrics\.serviceMonitor\.tokenSecret: expected the name of a Secret/,
    ],
    ...secrets.map(
      (name) =>
        [`${name} in plain`, `environment.${name}=x`, new RegExp(`environment\\.${name}: expected no secret.*secretEnvironment`)] as const,
    ),
    [
      'a setting of the chart',
      'environment.SERVICE_SANDBOX=auto',
      /environment\.SERVICE_SANDBOX: expected a variable that the chart leaves/,
    ],
  ],
  [
    ['two tokens', 'token.mint=true', /token: expected existingSecret or mint, got both/],
    [
      'an ingress without TLS',
      'ingress.enabled=true,ingress.hosts={a.example}',
      /ingress\.tls: expected an entry whose hosts name a\.example/,
    ],
  ],
]
