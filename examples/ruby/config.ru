# POST /hooks/KIND, with a route for each kind of hook.

require_relative 'receiver'

receiver = Receiver.new(ENV.fetch('TILLBELL_PRIVATE_KEY').split, ENV.fetch('SHOP_ORDERS', 'orders'))

run(lambda do |env|
  kind = env['PATH_INFO'][%r{\A/hooks/(pre_sale|transaction|far|error)\z}, 1]
  next [404, {}, []] if kind.nil? || env['REQUEST_METHOD'] != 'POST'

  body = env['rack.input']&.read(Receiver::MOST_BYTES + 1) || ''
  next [413, {}, []] if body.bytesize > Receiver::MOST_BYTES

  [receiver.receive(kind, body), {}, []]
end)
