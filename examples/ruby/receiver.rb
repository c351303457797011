# What becomes of a hook: verified, then acted on once, however often it comes.

require 'digest'
require 'fileutils'
require 'json'
require 'openssl'
require 'securerandom'
require 'uri'

class Receiver
  MOST_AT_ONCE = 5
  # No hook is larger: what is, is not read to its end.
  MOST_BYTES = 256 * 1024
  # Tests that are sent from the dashboard name this transaction: ship nothing for them.
  TEST_TRANSACTION = '00000000-0000-0000-0000-000000000000'

  # The route says which kind of hook it is. `type` must fit: a Pre-Sale at the wrong URL is no payment. Published examples of
  # the interface have those of FAR and Error crossed, so either fits these two.
  TYPES = {
    'pre_sale' => ['pre_sale'],
    'transaction' => ['success'],
    'far' => %w[far error],
    'error' => %w[far error]
  }.freeze

  # While keys are rotated there are two that may have signed.
  def initialize(private_keys, folder)
    @private_keys = private_keys
    @folder = folder
    FileUtils.mkdir_p(folder)
  end

  # Answers the HTTP status. `body` is the form as it came.
  def receive(kind, body)
    form = form_of(body)
    details = form['details'] || ''
    signature = form['signature'] || ''
    return 403 if @private_keys.none? { |key| authentic?(details, signature, key) }

    hook = JSON.parse(details)
    return 400 unless TYPES.fetch(kind).include?(hook['type'])
    # Pre-Sale is a question, asked once before the card is charged: any status but 2xx stops the sale.
    return hook['quantity'] <= MOST_AT_ONCE ? 200 : 409 if kind == 'pre_sale'

    act(kind, hook, details)
    200
  end

  private

  def form_of(body)
    URI.decode_www_form(body.dup.force_encoding('UTF-8')).to_h
  rescue ArgumentError # not a form
    {}
  end

  def authentic?(details, signature, private_key)
    OpenSSL.secure_compare(OpenSSL::HMAC.hexdigest('SHA1', private_key, details), signature)
  end

  def act(kind, hook, details)
    # An authorisation is a Transaction too, but the money comes with its capture.
    return if kind != 'transaction' || !hook['capture'] || hook['transaction'] == TEST_TRANSACTION

    order = hook.slice('transaction', 'quantity', 'amount', 'email').merge('item' => hook.dig('user_data', 'item_name'))
    # Each attempt carries the same details, byte for byte, so it has the same name.
    keep("#{Digest::SHA256.hexdigest(details)}.json", JSON.generate(order))
  end

  # The file is the order and the memory of the hook in one: it appears whole or not at all, and only once.
  def keep(name, text)
    part = File.join(@folder, "#{SecureRandom.hex}.part")
    File.open(part, 'w') do |file|
      file.write(text)
      file.fsync
    end
    File.link(part, File.join(@folder, name))
  rescue Errno::EEXIST
    # It came before.
  ensure
    FileUtils.rm_f(part)
  end
end
