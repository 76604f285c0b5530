// What `gatehouse --help` prints.

export const help = `gatehouse: runs AI agents in sealed sandboxes and holds every change to them until a human approves it

  gatehouse [flags]                       a production unit
  gatehouse --dev                         for trying things out: loopback alone, no token, a mock agent, the sample tool server
  gatehouse setup [--help]                makes ready what needs root, once for each host
  gatehouse --demo                        a mock agent in a container, with a well-known token, loopback alone

  gatehouse restore FILE                  restores a backup into an empty state directory: --identity FILE or
                                          --passphrase-file FILE opens it
  gatehouse token reset-admin             mints the admin token anew, for whoever owns the state directory
  gatehouse keys rotate                   a new master key; one that was interrupted is finished

The last three want the unit stopped, and take --state-dir DIR and SERVICE_MASTER_KEY_FILE.

  gatehouse await-credential              for systemd: ends once one half of a split unit has written what the other needs

Each flag has an environment twin in brackets.

  --addr HOST:PORT          where the API listens [SERVICE_API_ADDR, 127.0.0.1:8787]
  --state-dir DIR           what lasts [SERVICE_STATE_DIR, /var/lib/gatehouse/state]
  --only HALF               one half of a split unit: control (all but the runner) or runner, each with a uid and a state
                            directory of its own [SERVICE_ONLY]
  --sandbox DRIVER          auto, oci, container, bubblewrap, none (--dev only), off [SERVICE_SANDBOX, auto]
  --sandbox-engine NAME     container engine of the sandboxes: docker, podman, nerdctl; implies --sandbox container
                            [SERVICE_SANDBOX_ENGINE, the first that works]
  --sandbox-runtime NAME    OCI runtime, such as runsc: of the container engine, or for --sandbox oci [SERVICE_SANDBOX_RUNTIME]
  --allow-old-engine        accepts releases of sandbox engines that have known faults [SERVICE_ALLOW_OLD_ENGINE]
  --group-disks DIR         disks of groups that gatehouse setup made; without it the unit makes them itself, which takes
                            root [SERVICE_GROUP_DISKS]
  --mcp-catalog FILE        enables tool servers; the catalog file, mode 0600 [SERVICE_MCP_CATALOG]
  --mcp-isolation KIND      how local tool servers run: container, none [SERVICE_MCP_ISOLATION, container]
  --mcp-engine NAME         what runs them in containers: docker, podman, nerdctl [SERVICE_MCP_ENGINE, the first that works]
  --mcp-runtime NAME        OCI runtime given to that engine, such as runsc [SERVICE_MCP_RUNTIME]
  --mcp-image REF           image of the local servers whose entry names none [SERVICE_MCP_IMAGE]
  --mcp-pinning KIND        when a tool's definition is no longer the approved one: warn, refuse, strict (new tools too)
                            [SERVICE_MCP_PINNING, refuse]
  --approvals N             different people who must approve a change, 1 or 2 [SERVICE_APPROVALS, 1]
  --change-ttl TIME         a held change expires after this, 1m to 365d in s, m, h or d [SERVICE_CHANGE_TTL, 7d]
  --rate-limit P:B | off    requests a second and burst, for each principal; off also lifts the bounds a minute of
                            each session's tool calls [SERVICE_RATE_LIMIT, 50:100]
  --calls-retention TIME    records of tool calls are kept this long, 1h to 3650d [SERVICE_CALLS_RETENTION, 30d]
  --chat-retention TIME     messages are kept this long, but what waits for its agent, 1h to 3650d [SERVICE_CHAT_RETENTION, 90d]
  --log-level LEVEL         error, warn, info, debug [SERVICE_LOG_LEVEL, info]
  --help, --version

Environment alone:

  ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY, GROQ_API_KEY, MISTRAL_API_KEY
                            keys of providers of models, each with a twin in _FILE; agents never see them
  EMAIL_FROM                the address of agents, such as Agents <agents@example.org>
  EMAIL_IMAP_URL            mailbox that the unit alone reads: imaps://user:password@host/INBOX?authserv-id=NAME, where NAME
                            is whose word on senders is believed, or EMAIL_IMAP_URL_FILE
  EMAIL_SMTP_URL            what sends answers: smtps://user:password@host, or EMAIL_SMTP_URL_FILE
  SERVICE_API_TOKEN         the admin token, or SERVICE_API_TOKEN_FILE; without either one is minted
  SERVICE_CA_FILE           PEM file of authorities that are trusted besides those of Node
  SERVICE_ENV_FILE          the file that the environment came from; wider than mode 0600 it is refused
  SERVICE_HTTPS_PROXY       proxy through which remote tool servers are reached, or SERVICE_HTTPS_PROXY_FILE
  SERVICE_IMAGE_KEY         file with the public key that must have signed SERVICE_SANDBOX_IMAGE
  SERVICE_LOG_FORMAT        plain, json [plain]
  SERVICE_MASTER_KEY_FILE   the master key, kept outside the state directory
  SERVICE_MCP_ENV           globs of variables that the catalog may reference, separated by commas
  SERVICE_MODEL_API_KEY     key of the server below, where it wants one, or SERVICE_MODEL_API_KEY_FILE
  SERVICE_MODEL_BASE_URL    a server that speaks as OpenAI's does, such as http://127.0.0.1:11434/v1
  SERVICE_MOUNT_ALLOW       host paths below which approved mounts may lie, absolute and without links,
                            separated by colons or commas [none]
  SERVICE_NO_PROXY          hosts, domains and networks that are dialled without the proxy, separated by commas
  SERVICE_NPM_REGISTRY      where approved packages come from [https://registry.npmjs.org/]
  SERVICE_PUBLIC_URL        URLs by which people reach the API, separated by commas
  SERVICE_RUN_DIR           where the halves of a split unit meet [/run/gatehouse]
  SERVICE_SANDBOX_IMAGE     image of the sandboxes, by digest; without it the root file system of this release
  SERVICE_TRUSTED_PROXIES   networks of proxies whose X-Forwarded-For is believed, such as 10.0.0.0/8,
                            separated by commas [none]
  SERVICE_USER_NAMESPACE    a user namespace that gatehouse setup has pinned: entered at the start, so that who starts the
                            unit need not be root to launch sandboxes
  SLACK_API_URL             the Web API of another Slack, such as https://slack-gov.com/api/ [https://slack.com/api/]
  SLACK_APP_TOKEN, SLACK_BOT_TOKEN
                            tokens of an app with Socket Mode, each with a twin in _FILE: people write to agents in Slack
  TELEGRAM_API_URL          a Bot API server of one's own [https://api.telegram.org]
  TELEGRAM_BOT_TOKEN        token of a bot, or TELEGRAM_BOT_TOKEN_FILE: people write to agents in Telegram
  WEBHOOK_SIGNING_SECRET    whsec_ and base64, several separated by blanks, or WEBHOOK_SIGNING_SECRET_FILE: programs
                            write to agents and are answered by signed webhooks

A credential of systemd (LoadCredential) that is named as a variable stands for it.

SIGHUP makes the unit read its catalog again; SIGTERM and SIGINT stop it.

Ends with 0 stopped, 69 address in use, 70 a process that cannot start, 75 another unit holds the state,
77 no permission, 78 configuration.

Outside --dev and --demo a sandbox is launched only behind every wall of the seal; svcctl status names what lacks.

Example: gatehouse --state-dir /var/lib/gatehouse/state --sandbox off
`
