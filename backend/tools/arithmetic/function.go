package arithmetic

import (
	"errors"
	"math/big"

	"github.com/cockroachdb/apd/v3"
)

// apply works a function out.
func apply(name string, n number) (number, error) {
	switch name {
	case "abs":
		return number{new(big.Rat).Abs(n.Rat), n.rough}, nil
	case "floor":
		return number{Rat: new(big.Rat).SetInt(floor(n.Rat))}, nil
	case "ceil":
		up := floor(new(big.Rat).Neg(n.Rat))
		return number{Rat: new(big.Rat).SetInt(up.Neg(up))}, nil
	case "round": // halves away from zero, as people do
		half := floor(new(big.Rat).Add(new(big.Rat).Abs(n.Rat), big.NewRat(1, 2)))
		if n.Sign() < 0 {
			half.Neg(half)
		}
		return number{Rat: new(big.Rat).SetInt(half)}, nil
	case "sqrt":
		return sqrt(n)
	case "cbrt":
		return rough(n, (*apd.Context).Cbrt)
	case "exp":
		return rough(n, (*apd.Context).Exp)
	}
	if n.Sign() <= 0 {
		return number{}, errors.New("a logarithm is worked out of positive numbers")
	}
	if name == "ln" {
		return rough(n, (*apd.Context).Ln)
	}
	return rough(n, (*apd.Context).Log10)
}

// sqrt is exact where the number is a fraction of squares.
func sqrt(n number) (number, error) {
	if n.Sign() < 0 {
		return number{}, errNegative
	}
	over, under := new(big.Int).Sqrt(n.Num()), new(big.Int).Sqrt(n.Denom())
	root := number{new(big.Rat).SetFrac(over, under), n.rough}
	if new(big.Rat).Mul(root.Rat, root.Rat).Cmp(n.Rat) == 0 {
		return root, nil
	}
	return rough(n, (*apd.Context).Sqrt)
}

// rough works a function out to precision digits.
func rough(n number, function func(c *apd.Context, d, x *apd.Decimal) (apd.Condition, error)) (number, error) {
	argument, err := decimal(n.Rat, precision)
	if err != nil {
		return number{}, errTooLarge
	}
	result := new(apd.Decimal)
	if _, err := function(apd.BaseContext.WithPrecision(precision), result, argument); err != nil {
		return number{}, errTooLarge
	}
	return back(result)
}

// back makes a fraction of a decimal. One that is whole although it was worked out roughly, as the cube root of 27, is exact.
func back(d *apd.Decimal) (number, error) {
	d.Reduce(d)
	if d.Form != apd.Finite || d.Exponent > maxExponent || d.Exponent < -maxExponent {
		return number{}, errTooLarge
	}
	rat, ok := new(big.Rat).SetString(d.Text('e'))
	if !ok {
		return number{}, errTooLarge
	}
	return number{rat, d.NumDigits() >= precision-2}.bounded()
}

// pow is exact for whole exponents.
func pow(base, exponent number) (number, error) {
	if exponent.IsInt() {
		return integerPow(base, exponent)
	}
	if base.Sign() == 0 {
		if exponent.Sign() < 0 {
			return number{}, errDivision
		}
		return whole(0), nil
	}
	if base.Sign() < 0 {
		return number{}, errNegative
	}
	if exponent.Cmp(big.NewRat(1, 2)) == 0 {
		return sqrt(base)
	}
	power, err := decimal(exponent.Rat, precision)
	if err != nil || power.NumDigits()+int64(power.Exponent) > 5 {
		return number{}, errTooLarge
	}
	return rough(base, func(c *apd.Context, d, x *apd.Decimal) (apd.Condition, error) { return c.Pow(d, x, power) })
}

func integerPow(base, exponent number) (number, error) {
	times := new(big.Int).Abs(exponent.Num())
	size := max(base.Num().BitLen(), base.Denom().BitLen())
	switch {
	case base.Sign() == 0 && exponent.Sign() < 0:
		return number{}, errDivision
	case size > 1 && (times.BitLen() > 16 || int64(size-1)*times.Int64() > maxBits):
		return number{}, errTooLarge // sizes of 1 are 0, 1 and -1, which do not grow
	case size <= 1:
		times.And(times, big.NewInt(1)).Or(times, new(big.Int).Lsh(big.NewInt(int64(min(exponent.Num().BitLen(), 1))), 1)) // as odd, and zero only if it was
	}
	over, under := new(big.Int).Exp(base.Num(), times, nil), new(big.Int).Exp(base.Denom(), times, nil)
	if exponent.Sign() < 0 {
		over, under = under, over
	}
	return number{new(big.Rat).SetFrac(over, under), base.rough || exponent.rough}.bounded()
}
