// What `gatehouse --help` prints.

export const help = `gatehouse: runs AI agents in sealed sandboxes and holds every change to them until a human approves it

  gatehouse [flags]                       a production unit
  gatehouse --dev                         for trying things out: loopback alone, no token, a mock agent, the sample tool server
  gatehouse --demo                        a mock agent in a container, with a well-known token, loopback alone

Each flag has an environment twin in brackets.

  --addr HOST:PORT          where the API listens [SERVICE_API_ADDR, 127.0.0.1:8787]
  --state-dir DIR           what lasts [SERVICE_STATE_DIR, /var/lib/gatehouse/state]
  --sandbox DRIVER          auto, oci, container, bubblewrap, none (--dev only), off [SERVICE_SANDBOX, auto]
  --sandbox-runtime NAME    OCI runtime given to the container engine, such as runsc [SERVICE_SANDBOX_RUNTIME]
  --mcp-catalog FILE        enables tool servers; the catalog file, mode 0600 [SERVICE_MCP_CATALOG]
  --mcp-isolation KIND      how local tool servers run: container, none [SERVICE_MCP_ISOLATION, container]
  --rate-limit P:B | off    requests a second and burst, for each principal [SERVICE_RATE_LIMIT, 50:100]
  --log-level LEVEL         error, warn, info, debug [SERVICE_LOG_LEVEL, info]
  --help, --version

Environment alone: SERVICE_API_TOKEN or SERVICE_API_TOKEN_FILE, SERVICE_LOG_FORMAT=json, SERVICE_PUBLIC_URL,
SERVICE_MCP_ENV (globs of variables that the catalog may reference), SERVICE_MASTER_KEY_FILE.

Ends with 0 stopped, 69 address in use, 70 a process that cannot start, 75 another unit holds the state,
77 no permission, 78 configuration.

Outside --dev and --demo a sandbox is launched only behind every wall of the seal; svcctl status names what lacks.

Example: gatehouse --state-dir /var/lib/gatehouse/state --sandbox off
`
