import { shop } from './app.js'

const { PORT = '3000', TILLBELL_PRIVATE_KEY } = process.env
console.log(`listening on ${await shop(TILLBELL_PRIVATE_KEY).listen({ host: '127.0.0.1', port: Number(PORT) })}`)
