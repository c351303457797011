// What a merchant has at hand: the three that `tillbell merchant create` prints.
export const privateKey = 'OK4M40Bp5NhPJagGRXB9x1dI58ujH1mvhjF526jkqYs='
export const servicePublicKey = 'hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo='
export const partnerId = 1001
