// What any program in between costs: carries bytes from a unix socket to a port and looks at none of them. It says `ready` on stdout
// and ends with its input.
import { connect, createServer } from 'node:net'

const [path, port] = process.argv.slice(2)
const server = createServer((socket) => {
  const onward = connect(Number(port), '127.0.0.1')
  socket.on('error', () => onward.destroy())
  onward.on('error', () => socket.destroy())
  socket.pipe(onward).pipe(socket)
})
server.listen(path, () => process.stdout.write('ready\n'))
process.stdin.resume().on('end', () => process.exit())
